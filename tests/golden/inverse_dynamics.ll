define void @planar_2r_inverse_dynamics(ptr noalias %in, ptr noalias %out) #0 {
entry:
  %ip0 = getelementptr ptr, ptr %in, i64 0
  %i0 = load ptr, ptr %ip0, !invariant.load !5
  %ip1 = getelementptr ptr, ptr %in, i64 1
  %i1 = load ptr, ptr %ip1, !invariant.load !5
  %ip2 = getelementptr ptr, ptr %in, i64 2
  %i2 = load ptr, ptr %ip2, !invariant.load !5
  %op0 = getelementptr ptr, ptr %out, i64 0
  %o0 = load ptr, ptr %op0, !invariant.load !5
  %v0.p = getelementptr double, ptr %i0, i64 0
  %v0 = load double, ptr %v0.p, align 8, !alias.scope !3, !noalias !4
  %v1.p = getelementptr double, ptr %i0, i64 1
  %v1 = load double, ptr %v1.p, align 8, !alias.scope !3, !noalias !4
  %w2a0 = call double @llvm.fabs.f64(double %v0)
  %w2c0 = fcmp uge double %w2a0, 0x40F86A0000000000
  %w2a1 = call double @llvm.fabs.f64(double %v1)
  %w2c1 = fcmp uge double %w2a1, 0x40F86A0000000000
  %w2o1 = or i1 %w2c0, %w2c1
  br label %w2before
w2before:
  br i1 %w2o1, label %w2slow, label %w2done, !prof !6
w2slow:
  %w2s0 = call double @wrap.f64(double %v0)
  %w2s1 = call double @wrap.f64(double %v1)
  br label %w2done
w2done:
  %v6 = phi double [ %v0, %w2before ], [ %w2s0, %w2slow ]
  %v43 = phi double [ %v1, %w2before ], [ %w2s1, %w2slow ]
  %v2.p = getelementptr double, ptr %i1, i64 0
  %v2 = load double, ptr %v2.p, align 8, !alias.scope !3, !noalias !4
  %v3.p = getelementptr double, ptr %i1, i64 1
  %v3 = load double, ptr %v3.p, align 8, !alias.scope !3, !noalias !4
  %v4.p = getelementptr double, ptr %i2, i64 0
  %v4 = load double, ptr %v4.p, align 8, !alias.scope !3, !noalias !4
  %v5.p = getelementptr double, ptr %i2, i64 1
  %v5 = load double, ptr %v5.p, align 8, !alias.scope !3, !noalias !4
  %v7 = fmul double %v6, 0x3FE45F306DC9C883
  %v8 = call double @llvm.rint.f64(double %v7)
  %v9 = fneg double %v8
  %v10 = call double @llvm.fma.f64(double %v9, double 0x3FF921FB54442D18, double %v6)
  %v11 = call double @llvm.fma.f64(double %v9, double 0x3C91A62633145C07, double %v10)
  %v12 = call double @llvm.fma.f64(double %v9, double 0xB91F1976B7ED8FBC, double %v11)
  %v13 = fmul double %v12, %v12
  %v14 = fmul double %v12, %v13
  %v15 = call double @llvm.fma.f64(double 0x3DE5DF6DC58B9F9E, double %v13, double 0xBE5AE5FD21A32B43)
  %v16 = call double @llvm.fma.f64(double %v15, double %v13, double 0x3EC71DE375F39EB8)
  %v17 = call double @llvm.fma.f64(double %v16, double %v13, double 0xBF2A01A019E58765)
  %v18 = call double @llvm.fma.f64(double %v17, double %v13, double 0x3F81111111110AF9)
  %v19 = call double @llvm.fma.f64(double %v18, double %v13, double 0xBFC5555555555554)
  %v20 = call double @llvm.fma.f64(double %v14, double %v19, double %v12)
  %v21 = call double @llvm.fma.f64(double 0xBDA906960D0B1271, double %v13, double 0x3E21EEB4C6E0C1C7)
  %v22 = call double @llvm.fma.f64(double %v21, double %v13, double 0xBE927E4F9FC2B4BC)
  %v23 = call double @llvm.fma.f64(double %v22, double %v13, double 0x3EFA01A019F3910A)
  %v24 = call double @llvm.fma.f64(double %v23, double %v13, double 0xBF56C16C16C1690A)
  %v25 = call double @llvm.fma.f64(double %v24, double %v13, double 0x3FA5555555555555)
  %v26 = call double @llvm.fma.f64(double %v13, double %v25, double 0xBFE0000000000000)
  %v27 = call double @llvm.fma.f64(double %v13, double %v26, double 0x3FF0000000000000)
  %v28 = fmul double %v8, 0x3FD0000000000000
  %v29 = call double @llvm.rint.f64(double %v28)
  %v30 = call double @llvm.fma.f64(double %v29, double 0xC010000000000000, double %v8)
  %v31 = call double @llvm.fabs.f64(double %v30)
  %v32 = fsub double 0x3FF0000000000000, %v31
  %v33 = fsub double 0x4000000000000000, %v31
  %v34 = fmul double %v30, %v33
  %v35 = fmul double %v20, %v32
  %v36 = call double @llvm.fma.f64(double %v34, double %v27, double %v35)
  %v37 = fmul double %v20, %v34
  %v38 = fneg double %v37
  %v39 = call double @llvm.fma.f64(double %v32, double %v27, double %v38)
  %v40 = fmul double %v36, 0x40239EB851EB851F
  %v41 = fmul double %v4, 0x4000000000000000
  %v42 = call double @llvm.fma.f64(double %v39, double 0x40339EB851EB851F, double %v41)
  %v44 = fmul double %v43, 0x3FE45F306DC9C883
  %v45 = call double @llvm.rint.f64(double %v44)
  %v46 = fneg double %v45
  %v47 = call double @llvm.fma.f64(double %v46, double 0x3FF921FB54442D18, double %v43)
  %v48 = call double @llvm.fma.f64(double %v46, double 0x3C91A62633145C07, double %v47)
  %v49 = call double @llvm.fma.f64(double %v46, double 0xB91F1976B7ED8FBC, double %v48)
  %v50 = fmul double %v49, %v49
  %v51 = fmul double %v49, %v50
  %v52 = call double @llvm.fma.f64(double 0x3DE5DF6DC58B9F9E, double %v50, double 0xBE5AE5FD21A32B43)
  %v53 = call double @llvm.fma.f64(double %v52, double %v50, double 0x3EC71DE375F39EB8)
  %v54 = call double @llvm.fma.f64(double %v53, double %v50, double 0xBF2A01A019E58765)
  %v55 = call double @llvm.fma.f64(double %v54, double %v50, double 0x3F81111111110AF9)
  %v56 = call double @llvm.fma.f64(double %v55, double %v50, double 0xBFC5555555555554)
  %v57 = call double @llvm.fma.f64(double %v51, double %v56, double %v49)
  %v58 = call double @llvm.fma.f64(double 0xBDA906960D0B1271, double %v50, double 0x3E21EEB4C6E0C1C7)
  %v59 = call double @llvm.fma.f64(double %v58, double %v50, double 0xBE927E4F9FC2B4BC)
  %v60 = call double @llvm.fma.f64(double %v59, double %v50, double 0x3EFA01A019F3910A)
  %v61 = call double @llvm.fma.f64(double %v60, double %v50, double 0xBF56C16C16C1690A)
  %v62 = call double @llvm.fma.f64(double %v61, double %v50, double 0x3FA5555555555555)
  %v63 = call double @llvm.fma.f64(double %v50, double %v62, double 0xBFE0000000000000)
  %v64 = call double @llvm.fma.f64(double %v50, double %v63, double 0x3FF0000000000000)
  %v65 = fmul double %v45, 0x3FD0000000000000
  %v66 = call double @llvm.rint.f64(double %v65)
  %v67 = call double @llvm.fma.f64(double %v66, double 0xC010000000000000, double %v45)
  %v68 = call double @llvm.fabs.f64(double %v67)
  %v69 = fsub double 0x3FF0000000000000, %v68
  %v70 = fsub double 0x4000000000000000, %v68
  %v71 = fmul double %v67, %v70
  %v72 = fmul double %v57, %v69
  %v73 = call double @llvm.fma.f64(double %v71, double %v64, double %v72)
  %v74 = fmul double %v57, %v71
  %v75 = fneg double %v74
  %v76 = call double @llvm.fma.f64(double %v69, double %v64, double %v75)
  %v77 = fneg double %v2
  %v78 = call double @llvm.fma.f64(double %v77, double %v2, double %v40)
  %v79 = call double @llvm.fma.f64(double %v39, double 0x40239EB851EB851F, double %v4)
  %v80 = fmul double %v73, %v78
  %v81 = fneg double %v80
  %v82 = call double @llvm.fma.f64(double %v76, double %v79, double %v81)
  %v83 = fadd double %v2, %v3
  %v84 = fadd double %v4, %v5
  %v85 = fmul double %v83, %v83
  %v86 = fadd double %v82, %v84
  %s1 = getelementptr double, ptr %o0, i64 1
  store double %v86, ptr %s1, align 8, !alias.scope !4, !noalias !3
  %v87 = fmul double %v73, %v85
  %v88 = fneg double %v87
  %v89 = call double @llvm.fma.f64(double %v76, double %v84, double %v88)
  %v90 = fadd double %v86, %v89
  %v91 = fadd double %v42, %v90
  %s0 = getelementptr double, ptr %o0, i64 0
  store double %v91, ptr %s0, align 8, !alias.scope !4, !noalias !3
  ret void
}

declare double @llvm.fma.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.rint.f64(double)
declare double @sin(double)
declare double @cos(double)
declare double @atan2(double, double)
define internal double @wrap.f64(double %x0) noinline #0 {
  %s0 = call double @sin(double %x0)
  %c0 = call double @cos(double %x0)
  %w0 = call double @atan2(double %s0, double %c0)
  %a0 = call double @llvm.fabs.f64(double %x0)
  %t0 = fcmp ult double %a0, 0x40F86A0000000000
  %r0 = select i1 %t0, double %x0, double %w0
  ret double %r0
}
attributes #0 = { nounwind "prefer-vector-width"="128" "min-legal-vector-width"="64" }
!0 = !{!0, !"arrays"}
!1 = !{!1, !0, !"in"}
!2 = !{!2, !0, !"out"}
!3 = !{!1}
!4 = !{!2}
!5 = !{}
!6 = !{!"branch_weights", i32 1, i32 100000}
!7 = !{!1, !2}
