declare double @llvm.sqrt.f64(double)
declare <4 x double> @llvm.floor.v4f64(<4 x double>)
define internal {<4 x double>, <4 x double>} @near4(<4 x double> %x) alwaysinline {
  %v1 = fmul contract <4 x double> %x, <double 0x3FE45F306DC9C883, double 0x3FE45F306DC9C883, double 0x3FE45F306DC9C883, double 0x3FE45F306DC9C883>
  %v2 = fadd contract <4 x double> %v1, <double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000>
  %v3 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v2)
  %v4 = fmul contract <4 x double> %v3, <double 0x3FF921FB54400000, double 0x3FF921FB54400000, double 0x3FF921FB54400000, double 0x3FF921FB54400000>
  %v5 = fsub contract <4 x double> %x, %v4
  %v6 = fmul contract <4 x double> %v3, <double 0x3DD0B4611A600000, double 0x3DD0B4611A600000, double 0x3DD0B4611A600000, double 0x3DD0B4611A600000>
  %v7 = fsub contract <4 x double> %v5, %v6
  %v8 = fmul contract <4 x double> %v3, <double 0x3BA3198A2E000000, double 0x3BA3198A2E000000, double 0x3BA3198A2E000000, double 0x3BA3198A2E000000>
  %v9 = fsub contract <4 x double> %v7, %v8
  %v10 = fmul contract <4 x double> %v9, %v9
  %v11 = fmul contract <4 x double> %v10, %v10
  %v12 = fmul contract <4 x double> %v9, %v10
  %v13 = fmul contract <4 x double> %v10, <double 0x3F8111111110F8A6, double 0x3F8111111110F8A6, double 0x3F8111111110F8A6, double 0x3F8111111110F8A6>
  %v14 = fadd contract <4 x double> <double 0xBFC5555555555549, double 0xBFC5555555555549, double 0xBFC5555555555549, double 0xBFC5555555555549>, %v13
  %v15 = fmul contract <4 x double> %v10, <double 0x3EC71DE357B1FE7D, double 0x3EC71DE357B1FE7D, double 0x3EC71DE357B1FE7D, double 0x3EC71DE357B1FE7D>
  %v16 = fadd contract <4 x double> <double 0xBF2A01A019C161D5, double 0xBF2A01A019C161D5, double 0xBF2A01A019C161D5, double 0xBF2A01A019C161D5>, %v15
  %v17 = fmul contract <4 x double> %v10, <double 0x3DE5D93A5ACFD57C, double 0x3DE5D93A5ACFD57C, double 0x3DE5D93A5ACFD57C, double 0x3DE5D93A5ACFD57C>
  %v18 = fadd contract <4 x double> <double 0xBE5AE5E68A2B9CEB, double 0xBE5AE5E68A2B9CEB, double 0xBE5AE5E68A2B9CEB, double 0xBE5AE5E68A2B9CEB>, %v17
  %v19 = fmul contract <4 x double> %v11, %v18
  %v20 = fadd contract <4 x double> %v16, %v19
  %v21 = fmul contract <4 x double> %v11, %v20
  %v22 = fadd contract <4 x double> %v14, %v21
  %v23 = fmul contract <4 x double> %v12, %v22
  %v24 = fadd contract <4 x double> %v9, %v23
  %v25 = fmul contract <4 x double> <double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000>, %v10
  %v26 = fsub contract <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>, %v25
  %v27 = fmul contract <4 x double> %v10, <double 0xBF56C16C16C15177, double 0xBF56C16C16C15177, double 0xBF56C16C16C15177, double 0xBF56C16C16C15177>
  %v28 = fadd contract <4 x double> <double 0x3FA555555555554C, double 0x3FA555555555554C, double 0x3FA555555555554C, double 0x3FA555555555554C>, %v27
  %v29 = fmul contract <4 x double> %v10, <double 0xBE927E4F809C52AD, double 0xBE927E4F809C52AD, double 0xBE927E4F809C52AD, double 0xBE927E4F809C52AD>
  %v30 = fadd contract <4 x double> <double 0x3EFA01A019CB1590, double 0x3EFA01A019CB1590, double 0x3EFA01A019CB1590, double 0x3EFA01A019CB1590>, %v29
  %v31 = fmul contract <4 x double> %v10, <double 0xBDA8FAE9BE8838D4, double 0xBDA8FAE9BE8838D4, double 0xBDA8FAE9BE8838D4, double 0xBDA8FAE9BE8838D4>
  %v32 = fadd contract <4 x double> <double 0x3E21EE9EBDB4B1C4, double 0x3E21EE9EBDB4B1C4, double 0x3E21EE9EBDB4B1C4, double 0x3E21EE9EBDB4B1C4>, %v31
  %v33 = fmul contract <4 x double> %v11, %v32
  %v34 = fadd contract <4 x double> %v30, %v33
  %v35 = fmul contract <4 x double> %v11, %v34
  %v36 = fadd contract <4 x double> %v28, %v35
  %v37 = fmul contract <4 x double> %v11, %v36
  %v38 = fadd contract <4 x double> %v26, %v37
  %v39 = fmul contract <4 x double> %v3, <double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000>
  %v40 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v39)
  %v41 = fmul contract <4 x double> <double 0x4000000000000000, double 0x4000000000000000, double 0x4000000000000000, double 0x4000000000000000>, %v40
  %v42 = fsub contract <4 x double> %v3, %v41
  %v43 = fcmp ogt <4 x double> %v42, <double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000>
  %v44 = fmul contract <4 x double> %v40, <double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000, double 0x3FE0000000000000>
  %v45 = call <4 x double> @llvm.floor.v4f64(<4 x double> %v44)
  %v46 = fmul contract <4 x double> <double 0x4000000000000000, double 0x4000000000000000, double 0x4000000000000000, double 0x4000000000000000>, %v45
  %v47 = fsub contract <4 x double> %v40, %v46
  %v48 = fmul contract <4 x double> <double 0x4000000000000000, double 0x4000000000000000, double 0x4000000000000000, double 0x4000000000000000>, %v47
  %v49 = fsub contract <4 x double> <double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000, double 0x3FF0000000000000>, %v48
  %v50 = fneg <4 x double> %v24
  %v51 = select <4 x i1> %v43, <4 x double> %v38, <4 x double> %v24
  %v52 = fmul contract <4 x double> %v49, %v51
  %v53 = select <4 x i1> %v43, <4 x double> %v50, <4 x double> %v38
  %v54 = fmul contract <4 x double> %v49, %v53
  %v55 = insertvalue {<4 x double>, <4 x double>} undef, <4 x double> %v52, 0
  %v56 = insertvalue {<4 x double>, <4 x double>} %v55, <4 x double> %v54, 1
  ret {<4 x double>, <4 x double>} %v56
}
declare <4 x double> @llvm.sin.v4f64(<4 x double>)
declare <4 x double> @llvm.cos.v4f64(<4 x double>)
define internal {<4 x double>, <4 x double>} @far4(<4 x double> %x, <4 x i1> %is_far, {<4 x double>, <4 x double>} %near) noinline cold {
  %v1 = call <4 x double> @llvm.sin.v4f64(<4 x double> %x)
  %v2 = extractvalue {<4 x double>, <4 x double>} %near, 0
  %v3 = select <4 x i1> %is_far, <4 x double> %v1, <4 x double> %v2
  %v4 = insertvalue {<4 x double>, <4 x double>} %near, <4 x double> %v3, 0
  %v5 = call <4 x double> @llvm.cos.v4f64(<4 x double> %x)
  %v6 = extractvalue {<4 x double>, <4 x double>} %near, 1
  %v7 = select <4 x i1> %is_far, <4 x double> %v5, <4 x double> %v6
  %v8 = insertvalue {<4 x double>, <4 x double>} %v4, <4 x double> %v7, 1
  ret {<4 x double>, <4 x double>} %v8
}
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)
define internal {<4 x double>, <4 x double>} @sincos4(<4 x double> %x) alwaysinline {
entry:
  %v1 = call {<4 x double>, <4 x double>} @near4(<4 x double> %x)
  %v2 = call <4 x double> @llvm.fabs.v4f64(<4 x double> %x)
  %v3 = fcmp ogt <4 x double> %v2, <double 0x412E848000000000, double 0x412E848000000000, double 0x412E848000000000, double 0x412E848000000000>
  %v4 = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %v3)
  br i1 %v4, label %beyond, label %done
beyond:
  %v5 = call {<4 x double>, <4 x double>} @far4(<4 x double> %x, <4 x i1> %v3, {<4 x double>, <4 x double>} %v1)
  br label %done
done:
  %v6 = phi {<4 x double>, <4 x double>} [%v1, %entry], [%v5, %beyond]
  ret {<4 x double>, <4 x double>} %v6
}
define void @sample(ptr %q, ptr %u, ptr %ud, ptr %out) {
  %v1 = getelementptr inbounds double, ptr %q, i64 0
  %v2 = load double, ptr %v1
  %v3 = getelementptr inbounds double, ptr %q, i64 1
  %v4 = load double, ptr %v3
  %v5 = getelementptr inbounds double, ptr %u, i64 0
  %v6 = load double, ptr %v5
  %v7 = getelementptr inbounds double, ptr %u, i64 1
  %v8 = load double, ptr %v7
  %v9 = getelementptr inbounds double, ptr %ud, i64 0
  %v10 = load double, ptr %v9
  %v11 = getelementptr inbounds double, ptr %ud, i64 1
  %v12 = load double, ptr %v11
  %v13 = fmul contract double %v6, %v6
  %v14 = fmul contract double 0x3FDDE2FCB9FA6231, %v10
  %v15 = fmul contract double 0x3FE0000000000000, %v13
  %v16 = fmul contract double 0x3FE0000000000000, %v10
  %v17 = fadd contract double %v10, %v12
  %v18 = fadd contract double %v6, %v8
  %v19 = fmul contract double %v18, %v18
  %v20 = fmul contract double 0x3FCEB851EB851EB8, %v19
  %v21 = fmul contract double 0x3FCEB851EB851EB8, %v17
  %v22 = fmul contract double 0x3FB06A2B1704FF43, %v17
  %v23 = insertelement <4 x double> zeroinitializer, double %v2, i32 0
  %v24 = insertelement <4 x double> %v23, double %v4, i32 1
  %v25 = call {<4 x double>, <4 x double>} @sincos4(<4 x double> %v24)
  %v26 = extractvalue {<4 x double>, <4 x double>} %v25, 0
  %v27 = extractvalue {<4 x double>, <4 x double>} %v25, 1
  %v28 = extractelement <4 x double> %v26, i32 0
  %v29 = extractelement <4 x double> %v27, i32 0
  %v30 = extractelement <4 x double> %v26, i32 1
  %v31 = extractelement <4 x double> %v27, i32 1
  %v32 = fmul contract double 0x40239EB851EB851F, %v28
  %v33 = fmul contract double 0x40239EB851EB851F, %v29
  %v34 = fmul contract double 0x402594FDF3B645A3, %v29
  %v35 = fadd contract double %v34, %v14
  %v36 = fsub contract double %v32, %v15
  %v37 = fadd contract double %v33, %v16
  %v38 = fmul contract double %v30, %v36
  %v39 = fmul contract double %v31, %v37
  %v40 = fsub contract double %v39, %v38
  %v41 = fmul contract double 0x3FCEB851EB851EB8, %v40
  %v42 = fadd contract double %v41, %v22
  %v43 = getelementptr inbounds double, ptr %out, i64 1
  store double %v42, ptr %v43
  %v44 = fmul contract double %v30, %v20
  %v45 = fmul contract double %v31, %v21
  %v46 = fsub contract double %v45, %v44
  %v47 = fadd contract double %v35, %v42
  %v48 = fmul contract double 0x3FE0000000000000, %v46
  %v49 = fadd contract double %v47, %v48
  %v50 = getelementptr inbounds double, ptr %out, i64 0
  store double %v49, ptr %v50
  ret void
}
