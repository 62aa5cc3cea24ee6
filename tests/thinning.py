"""Long lists of cases: some of them every day, all of them in the slow run."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

EVERY = {
    "test_inverse_dynamics_derivatives": 3,
    "test_published_robots_survive": 4,
    "test_three_joints_of_any_kind_and_a_spherical_wrist": 4,
    "test_three_joints_that_place_a_tip": 3,
    "test_gantries": 3,
    "test_arm_321_by_its_equations_and_by_the_front_door": 3,
    "test_arm_313_with_one_joint_fixed": 3,
    "test_machine_code_agrees_with_the_interpreter": 2,
    "test_single_precision_is_the_same_to_four_digits": 4,
    "test_compiled_c_computes_the_same_bits": 2,
    "test_a_sample_does_not_know_its_batch": 2,
    "test_the_equations_on_plain_floats_give_what_the_compiled_kernel_gives": 4,
    "test_all_solutions_of_six_joints": 2,
    "test_random_poses": 9,
    "test_arms_without_a_closed_form_are_solved_numerically": 2,
    "test_all_blocks_by_differences": 2,
    "test_with_wrenches_by_differences": 2,
    "test_large_robots_along_a_direction": 2,
    "test_analytic_derivatives_are_the_automatic_ones": 3,
    "test_compiled_methods_by_differences": 2,
    "test_orders_on_trees_with_every_joint": 3,
    "test_block_form_for_several_frames": 3,
    "test_no_other_minimiser_comes_closer": 3,
    "test_built_in_robots": 4,
    "test_velocity_and_accelerations": 3,
    "test_forward_dynamics_derivatives": 3,
    "test_regrouped_inertias_leave_the_joints_dynamics_unchanged": 2,
    "test_recursions_agree_with_the_dense_route": 2,
    "test_a_closure_holds_at_every_position_of_its_joint": 2,
    "test_any_mix_is_solved_for_a_floating_base_and_several_ends": 2,
    "test_a_load_as_an_input_is_a_load_built_in": 2,
    "test_against_the_analytic_derivatives": 2,
    "test_dynamics_are_those_of_the_free_robot_by_virtual_work": 2,
    "test_momentum_and_energy_are_conserved": 3,
    "test_every_route_to_an_acceleration": 2,
    "test_coriolis_matrix_and_derivatives_have_the_zeros_of_the_mass_matrix": 3,
    "test_forward_dynamics_derivatives_by_automatic_differentiation": 4,
    "test_mass_matrix_inverse": 3,
    "test_planar_arms_and_scara": 3,
    "test_only_our_errors": 2,
    "test_solving_with_factors_that_are_known": 4,
    "test_without_damping_singular_positions_give_nan": 3,
    "test_random_arms_with_axes_in_every_special_position": 2,
    "test_poses_and_dynamics_agree_with_pinocchio": 2,
    "test_mass_and_coriolis_matrix": 3,
    "test_jacobian_columns_are_zero_for_joints_that_do_not_move_the_frame": 2,
    "test_rows_are_links_in_their_own_axes": 3,
    "test_what_we_write_is_the_same_robot_for_us_and_for_mujoco": 2,
    "test_inertia_of_collision_shapes": 2,
    "test_mdot_minus_2c_is_skew": 2,
    "test_jacobian_and_its_derivative": 3,
    "test_every_part_of_the_equations": 2,
    "test_plain_batched_compiled_and_differentiated": 2,
    "test_floating_robots_survive": 2,
}
"""Tests of many long cases, of which every k-th runs every day."""


def thin(items: Iterable[pytest.Item]) -> None:
    """Mark the other cases of the tests above slow, in the order in which they were collected."""
    seen: dict[tuple[str, str], int] = {}
    for item in items:
        name = getattr(item, "originalname", item.name)
        if name in EVERY:
            key = (str(item.path), name)
            seen[key] = seen.get(key, -1) + 1
            if seen[key] % EVERY[name]:
                item.add_marker(pytest.mark.slow)
