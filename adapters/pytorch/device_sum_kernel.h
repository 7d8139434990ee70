// Made by kernels/generate of sum.cl: do not change it by hand.
#pragma once

namespace lockstep::pytorch {

inline constexpr char kSumKernel[] = R"ptx(
.version 6.3
.target sm_60
.address_size 64
.visible .entry lockstep_sum(
	.param .u64 lockstep_sum_param_0,
	.param .u64 lockstep_sum_param_1,
	.param .u32 lockstep_sum_param_2,
	.param .u64 lockstep_sum_param_3
)
{
	.reg .pred 	%p<18>;
	.reg .b32 	%r<31>;
	.reg .b64 	%rd<144>;
	.shared .align 8 .b8 lockstep_sum_$_low_of_warp[256];
	.shared .align 8 .b8 lockstep_sum_$_high_of_warp[256];
	ld.param.u64 	%rd56, [lockstep_sum_param_1];
	mov.u32 	%r1, %tid.x;
	mov.u32 	%r2, %ntid.x;
	mov.u32 	%r9, %ctaid.x;
	cvt.s64.s32 	%rd59, %r9;
	cvt.u64.u32 	%rd60, %r2;
	mul.lo.s64 	%rd61, %rd59, %rd60;
	cvt.u64.u32 	%rd62, %r1;
	add.s64 	%rd127, %rd61, %rd62;
	add.s64 	%rd64, %rd56, 15;
	shr.u64 	%rd3, %rd64, 4;
	setp.lt.u64 	%p1, %rd127, %rd3;
	mov.u64 	%rd125, 0;
	mov.u64 	%rd126, %rd125;
	@%p1 bra 	LBB0_2;
	bra.uni 	LBB0_1;
LBB0_2:
	ld.param.u32 	%r8, [lockstep_sum_param_2];
	ld.param.u64 	%rd55, [lockstep_sum_param_0];
	mov.u32 	%r10, %nctaid.x;
	cvt.s64.s32 	%rd63, %r10;
	mul.lo.s64 	%rd2, %rd63, %rd60;
	shl.b64 	%rd124, %rd127, 4;
	shl.b64 	%rd7, %rd2, 4;
	or.b64  	%rd123, %rd124, 8;
	mov.u64 	%rd125, 0;
	setp.lt.u32 	%p8, %r8, 8;
	setp.lt.u32 	%p9, %r8, 4;
	mov.u64 	%rd126, %rd125;
	bra.uni 	LBB0_3;
LBB0_16:
	add.s64 	%rd84, %rd55, %rd14;
	ld.global.u64 	%rd135, [%rd84+8];
LBB0_19:
	mul.lo.s64 	%rd92, %rd127, -8834553413625063778;
	add.s64 	%rd93, %rd92, %rd135;
	add.s64 	%rd91, %rd93, -8834553413625063778;
	mul.hi.u64 %rd89, %rd90, %rd91;
	mul.lo.s64 	%rd94, %rd91, %rd90;
	add.s64 	%rd125, %rd94, %rd125;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd91, 32;
	shr.b64 	%rhs, %rd91, 32;
	add.u64 	%rd95, %lhs, %rhs;
	}
	xor.b64  	%rd96, %rd95, %rd90;
	add.s64 	%rd97, %rd89, %rd126;
	add.s64 	%rd126, %rd97, %rd96;
	add.s64 	%rd127, %rd127, %rd2;
	add.s64 	%rd124, %rd124, %rd7;
	add.s64 	%rd123, %rd123, %rd7;
	setp.lt.u64 	%p12, %rd127, %rd3;
	@%p12 bra 	LBB0_3;
	bra.uni 	LBB0_1;
LBB0_3:
	.pragma "nounroll";
	shl.b64 	%rd14, %rd127, 4;
	or.b64  	%rd66, %rd14, 8;
	setp.le.u64 	%p2, %rd66, %rd56;
	@%p2 bra 	LBB0_7;
LBB0_4:
	mov.u64 	%rd129, 0;
	mov.u64 	%rd128, %rd124;
	mov.u64 	%rd131, %rd129;
LBB0_5:
	.pragma "nounroll";
	setp.ge.u64 	%p5, %rd128, %rd56;
	@%p5 bra 	LBB0_11;
	add.s64 	%rd73, %rd55, %rd128;
	ld.global.u8 	%rd74, [%rd73];
	cvt.u32.u64 	%r11, %rd129;
	shl.b64 	%rd75, %rd74, %r11;
	or.b64  	%rd131, %rd75, %rd131;
	add.s64 	%rd129, %rd129, 8;
	add.s64 	%rd128, %rd128, 1;
	setp.ne.s64 	%p6, %rd129, 64;
	@%p6 bra 	LBB0_5;
	bra.uni 	LBB0_11;
LBB0_7:
	@%p8 bra 	LBB0_9;
	add.s64 	%rd71, %rd55, %rd14;
	ld.global.u64 	%rd131, [%rd71];
	bra.uni 	LBB0_11;
LBB0_9:
	@%p9 bra 	LBB0_4;
	add.s64 	%rd67, %rd55, %rd14;
	ld.global.u32 	%rd68, [%rd67];
	ld.global.u32 	%rd69, [%rd67+4];
	shl.b64 	%rd70, %rd69, 32;
	or.b64  	%rd131, %rd70, %rd68;
LBB0_11:
	shl.b64 	%rd76, %rd127, 1;
	or.b64  	%rd77, %rd76, 1;
	mul.lo.s64 	%rd78, %rd77, -7046029254386353131;
	add.s64 	%rd90, %rd131, %rd78;
	add.s64 	%rd79, %rd14, 16;
	setp.le.u64 	%p7, %rd79, %rd56;
	@%p7 bra 	LBB0_15;
LBB0_12:
	mov.u64 	%rd132, 0;
	mov.u64 	%rd133, %rd123;
	mov.u64 	%rd135, %rd132;
LBB0_13:
	.pragma "nounroll";
	setp.ge.u64 	%p10, %rd133, %rd56;
	@%p10 bra 	LBB0_19;
	add.s64 	%rd86, %rd55, %rd133;
	ld.global.u8 	%rd87, [%rd86];
	cvt.u32.u64 	%r12, %rd132;
	shl.b64 	%rd88, %rd87, %r12;
	or.b64  	%rd135, %rd88, %rd135;
	add.s64 	%rd133, %rd133, 1;
	add.s64 	%rd132, %rd132, 8;
	setp.ne.s64 	%p11, %rd132, 64;
	@%p11 bra 	LBB0_13;
	bra.uni 	LBB0_19;
LBB0_15:
	@%p8 bra 	LBB0_17;
	bra.uni 	LBB0_16;
LBB0_17:
	@%p9 bra 	LBB0_12;
	add.s64 	%rd80, %rd55, %rd14;
	ld.global.u32 	%rd81, [%rd80+8];
	ld.global.u32 	%rd82, [%rd80+12];
	shl.b64 	%rd83, %rd82, 32;
	or.b64  	%rd135, %rd83, %rd81;
	bra.uni 	LBB0_19;
LBB0_1:
	ld.param.u64 	%rd57, [lockstep_sum_param_3];
	mov.u32 	%r29, 16;
LBB0_20:
	.pragma "nounroll";
	cvt.u32.u64 	%r15, %rd125;
	shfl.sync.down.b32 %r14, %r15, %r29, 31, -1;
	cvt.u64.u32 	%rd98, %r14;
	shr.u64 	%rd99, %rd125, 32;
	cvt.u32.u64 	%r18, %rd99;
	shfl.sync.down.b32 %r17, %r18, %r29, 31, -1;
	cvt.u64.u32 	%rd100, %r17;
	shl.b64 	%rd101, %rd100, 32;
	add.s64 	%rd102, %rd125, %rd98;
	add.s64 	%rd125, %rd102, %rd101;
	cvt.u32.u64 	%r21, %rd126;
	shfl.sync.down.b32 %r20, %r21, %r29, 31, -1;
	cvt.u64.u32 	%rd103, %r20;
	shr.u64 	%rd104, %rd126, 32;
	cvt.u32.u64 	%r24, %rd104;
	shfl.sync.down.b32 %r23, %r24, %r29, 31, -1;
	cvt.u64.u32 	%rd105, %r23;
	shl.b64 	%rd106, %rd105, 32;
	add.s64 	%rd107, %rd126, %rd103;
	add.s64 	%rd126, %rd107, %rd106;
	shr.u32 	%r4, %r29, 1;
	setp.lt.u32 	%p13, %r29, 2;
	mov.u32 	%r29, %r4;
	@%p13 bra 	LBB0_21;
	bra.uni 	LBB0_20;
LBB0_21:
	and.b32  	%r26, %r1, 31;
	setp.eq.s32 	%p14, %r26, 0;
	mov.u64 	%rd109, lockstep_sum_$_high_of_warp;
	mov.u64 	%rd110, lockstep_sum_$_low_of_warp;
	@%p14 bra 	LBB0_22;
	bra.uni 	LBB0_23;
LBB0_22:
	shr.u32 	%r27, %r1, 5;
	mul.wide.u32 	%rd108, %r27, 8;
	add.s64 	%rd39, %rd109, %rd108;
	add.s64 	%rd40, %rd110, %rd108;
	st.shared.u64 	[%rd40], %rd125;
	st.shared.u64 	[%rd39], %rd126;
LBB0_23:
	bar.sync 	0;
	setp.ne.s32 	%p15, %r1, 0;
	@%p15 bra 	LBB0_28;
	setp.lt.u32 	%p16, %r2, 64;
	@%p16 bra 	LBB0_27;
	shr.u32 	%r28, %r2, 5;
	add.s64 	%rd141, %rd109, 8;
	add.s64 	%rd140, %rd110, 8;
	add.s32 	%r30, %r28, -1;
LBB0_26:
	.pragma "nounroll";
	ld.shared.u64 	%rd115, [%rd140];
	add.s64 	%rd125, %rd115, %rd125;
	ld.shared.u64 	%rd116, [%rd141];
	add.s64 	%rd126, %rd116, %rd126;
	add.s32 	%r30, %r30, -1;
	add.s64 	%rd141, %rd141, 8;
	add.s64 	%rd140, %rd140, 8;
	setp.eq.s32 	%p17, %r30, 0;
	@%p17 bra 	LBB0_27;
	bra.uni 	LBB0_26;
LBB0_27:
	red.global.add.u64 [%rd57], %rd125;
	add.s64 	%rd119, %rd57, 8;
	red.global.add.u64 [%rd119], %rd126;
LBB0_28:
	ret;
}
)ptx";

}  // namespace lockstep::pytorch
