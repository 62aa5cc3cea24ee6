"""A pytest plugin: a generated example that fails is reported as it is, not made small first."""

from hypothesis import Phase, settings

settings.register_profile("unshrunk", derandomize=True, database=None, phases=[Phase.explicit, Phase.generate])
settings.load_profile("unshrunk")
