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
  %v13 = call {double, double} @sincos(double %v2)
  %v14 = extractvalue {double, double} %v13, 0
  %v15 = extractvalue {double, double} %v13, 1
  %v16 = fmul contract double 0x40239EB851EB851F, %v14
  %v17 = fmul contract double 0x40239EB851EB851F, %v15
  %v18 = fmul contract double %v6, %v6
  %v19 = fmul contract double 0x402594FDF3B645A3, %v15
  %v20 = fmul contract double 0x3FDDE2FCB9FA6231, %v10
  %v21 = fadd contract double %v19, %v20
  %v22 = call {double, double} @sincos(double %v4)
  %v23 = extractvalue {double, double} %v22, 0
  %v24 = extractvalue {double, double} %v22, 1
  %v25 = fmul contract double 0x3FE0000000000000, %v18
  %v26 = fmul contract double 0x3FE0000000000000, %v10
  %v27 = fsub contract double %v16, %v25
  %v28 = fadd contract double %v17, %v26
  %v29 = fmul contract double %v23, %v27
  %v30 = fmul contract double %v24, %v28
  %v31 = fsub contract double %v30, %v29
  %v32 = fadd contract double %v10, %v12
  %v33 = fadd contract double %v6, %v8
  %v34 = fmul contract double %v33, %v33
  %v35 = fmul contract double 0x3FCEB851EB851EB8, %v34
  %v36 = fmul contract double 0x3FCEB851EB851EB8, %v32
  %v37 = fmul contract double 0x3FCEB851EB851EB8, %v31
  %v38 = fmul contract double 0x3FB06A2B1704FF43, %v32
  %v39 = fadd contract double %v37, %v38
  %v40 = getelementptr inbounds double, ptr %out, i64 1
  store double %v39, ptr %v40
  %v41 = fmul contract double %v23, %v35
  %v42 = fmul contract double %v24, %v36
  %v43 = fsub contract double %v42, %v41
  %v44 = fadd contract double %v21, %v39
  %v45 = fmul contract double 0x3FE0000000000000, %v43
  %v46 = fadd contract double %v44, %v45
  %v47 = getelementptr inbounds double, ptr %out, i64 0
  store double %v46, ptr %v47
  ret void
}
