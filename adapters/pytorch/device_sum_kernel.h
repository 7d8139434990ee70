// Made by kernels/generate of sum.cl: do not change it by hand.
#pragma once

namespace lockstep::pytorch {

inline constexpr char kSumKernel[] = R"ptx(
.version 6.3
.target sm_60
.address_size 64
.visible .entry lockstep_sum_table(
	.param .u64 lockstep_sum_table_param_0,
	.param .u64 lockstep_sum_table_param_1
)
{
	.reg .pred 	%p<25>;
	.reg .b32 	%r<36>;
	.reg .b64 	%rd<316>;
	.shared .align 8 .b8 lockstep_sum_table_$_of_warps[512];
	ld.param.u64 	%rd119, [lockstep_sum_table_param_0];
	mov.u32 	%r7, %ctaid.y;
	shl.b32 	%r8, %r7, 1;
	mul.wide.u32 	%rd120, %r8, 8;
	add.s64 	%rd121, %rd119, %rd120;
	ld.global.u64 	%rd2, [%rd121];
	ld.global.u64 	%rd3, [%rd121+8];
	mov.u32 	%r9, %tid.x;
	mov.u32 	%r10, %ntid.x;
	mov.u32 	%r11, %nctaid.x;
	cvt.s64.s32 	%rd4, %r11;
	cvt.u64.u32 	%rd5, %r10;
	mul.lo.s64 	%rd6, %rd4, %rd5;
	add.s64 	%rd122, %rd3, 15;
	and.b64  	%rd123, %rd2, 15;
	setp.eq.s64 	%p1, %rd123, 0;
	shr.u64 	%rd124, %rd3, 4;
	selp.b64 	%rd8, %rd124, 0, %p1;
	mov.u32 	%r12, %ctaid.x;
	cvt.s64.s32 	%rd9, %r12;
	mul.lo.s64 	%rd10, %rd9, %rd5;
	cvt.u64.u32 	%rd11, %r9;
	add.s64 	%rd293, %rd10, %rd11;
	mul.lo.s64 	%rd125, %rd6, 3;
	add.s64 	%rd126, %rd293, %rd125;
	setp.ge.u64 	%p2, %rd126, %rd8;
	mov.u64 	%rd295, 0;
	mov.u64 	%rd294, %rd295;
	@%p2 bra 	LBB0_4;
	shl.b64 	%rd14, %rd6, 2;
	mul.lo.s64 	%rd128, %rd4, 3;
	add.s64 	%rd129, %rd128, %rd9;
	mul.lo.s64 	%rd15, %rd129, %rd5;
	mul.lo.s64 	%rd130, %rd15, 8834553413625063778;
	mul.lo.s64 	%rd131, %rd11, 8834553413625063778;
	add.s64 	%rd132, %rd130, %rd131;
	mov.u64 	%rd133, -8834553413625063778;
	sub.s64 	%rd16, %rd133, %rd132;
	mul.lo.s64 	%rd17, %rd6, 1555274492918848120;
	mul.lo.s64 	%rd134, %rd15, 4354685564936845354;
	mul.lo.s64 	%rd135, %rd11, 4354685564936845354;
	add.s64 	%rd136, %rd134, %rd135;
	add.s64 	%rd18, %rd136, -7046029254386353131;
	mul.lo.s64 	%rd19, %rd6, 1028001813962170200;
	shl.b64 	%rd137, %rd15, 4;
	shl.b64 	%rd138, %rd11, 4;
	add.s64 	%rd20, %rd137, %rd138;
	shl.b64 	%rd21, %rd6, 6;
	add.s64 	%rd139, %rd9, %rd4;
	mul.lo.s64 	%rd140, %rd139, %rd5;
	add.s64 	%rd141, %rd140, %rd11;
	mul.lo.s64 	%rd142, %rd141, 4354685564936845354;
	add.s64 	%rd22, %rd142, -7046029254386353131;
	shl.b64 	%rd143, %rd6, 4;
	shl.b64 	%rd23, %rd293, 4;
	add.s64 	%rd144, %rd143, %rd23;
	or.b64  	%rd24, %rd144, 8;
	mul.lo.s64 	%rd145, %rd141, 8834553413625063778;
	sub.s64 	%rd25, %rd133, %rd145;
	mul.lo.s64 	%rd146, %rd293, 8834553413625063778;
	sub.s64 	%rd26, %rd133, %rd146;
	mul.lo.s64 	%rd147, %rd293, 4354685564936845354;
	add.s64 	%rd27, %rd147, -7046029254386353131;
	shl.b64 	%rd148, %rd4, 1;
	add.s64 	%rd149, %rd148, %rd9;
	mul.lo.s64 	%rd150, %rd149, %rd5;
	shl.b64 	%rd151, %rd150, 4;
	add.s64 	%rd28, %rd151, %rd138;
	mul.lo.s64 	%rd152, %rd150, 4354685564936845354;
	add.s64 	%rd153, %rd152, %rd135;
	add.s64 	%rd29, %rd153, -7046029254386353131;
	mul.lo.s64 	%rd154, %rd150, 8834553413625063778;
	add.s64 	%rd155, %rd154, %rd131;
	sub.s64 	%rd30, %rd133, %rd155;
	mov.u64 	%rd281, 0;
	mov.u64 	%rd279, %rd11;
	mov.u64 	%rd280, %rd2;
	mov.u64 	%rd282, %rd281;
	mov.u64 	%rd294, %rd281;
	mov.u64 	%rd295, %rd281;
LBB0_2:
	.pragma "nounroll";
	add.s64 	%rd168, %rd280, %rd28;
	ld.global.v2.u64 	{%rd169, %rd170}, [%rd168];
	add.s64 	%rd171, %rd280, %rd20;
	ld.global.v2.u64 	{%rd172, %rd173}, [%rd171];
	add.s64 	%rd174, %rd280, %rd23;
	ld.global.v2.u64 	{%rd175, %rd176}, [%rd174];
	add.s64 	%rd177, %rd27, %rd281;
	add.s64 	%rd157, %rd177, %rd175;
	add.s64 	%rd178, %rd26, %rd282;
	add.s64 	%rd158, %rd178, %rd176;
	mul.hi.u64 %rd156, %rd157, %rd158;
	mul.lo.s64 	%rd179, %rd157, %rd158;
	add.s64 	%rd180, %rd179, %rd295;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd158, 32;
	shr.b64 	%rhs, %rd158, 32;
	add.u64 	%rd181, %lhs, %rhs;
	}
	xor.b64  	%rd182, %rd181, %rd157;
	add.s64 	%rd183, %rd182, %rd294;
	add.s64 	%rd184, %rd183, %rd156;
	add.s64 	%rd185, %rd280, %rd24;
	ld.global.v2.u64 	{%rd186, %rd187}, [%rd185+-8];
	add.s64 	%rd188, %rd22, %rd281;
	add.s64 	%rd160, %rd188, %rd186;
	add.s64 	%rd189, %rd25, %rd282;
	add.s64 	%rd161, %rd189, %rd187;
	mul.hi.u64 %rd159, %rd160, %rd161;
	mul.lo.s64 	%rd190, %rd160, %rd161;
	add.s64 	%rd191, %rd180, %rd190;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd161, 32;
	shr.b64 	%rhs, %rd161, 32;
	add.u64 	%rd192, %lhs, %rhs;
	}
	xor.b64  	%rd193, %rd192, %rd160;
	add.s64 	%rd194, %rd184, %rd193;
	add.s64 	%rd195, %rd194, %rd159;
	add.s64 	%rd196, %rd29, %rd169;
	add.s64 	%rd163, %rd196, %rd281;
	add.s64 	%rd197, %rd30, %rd170;
	add.s64 	%rd164, %rd197, %rd282;
	mul.hi.u64 %rd162, %rd163, %rd164;
	mul.lo.s64 	%rd198, %rd163, %rd164;
	add.s64 	%rd199, %rd191, %rd198;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd164, 32;
	shr.b64 	%rhs, %rd164, 32;
	add.u64 	%rd200, %lhs, %rhs;
	}
	xor.b64  	%rd201, %rd200, %rd163;
	add.s64 	%rd202, %rd195, %rd201;
	add.s64 	%rd203, %rd202, %rd162;
	add.s64 	%rd204, %rd18, %rd172;
	add.s64 	%rd166, %rd204, %rd281;
	add.s64 	%rd205, %rd16, %rd173;
	add.s64 	%rd167, %rd205, %rd282;
	mul.hi.u64 %rd165, %rd166, %rd167;
	mul.lo.s64 	%rd206, %rd166, %rd167;
	add.s64 	%rd295, %rd199, %rd206;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd167, 32;
	shr.b64 	%rhs, %rd167, 32;
	add.u64 	%rd207, %lhs, %rhs;
	}
	xor.b64  	%rd208, %rd207, %rd166;
	add.s64 	%rd209, %rd203, %rd208;
	add.s64 	%rd294, %rd209, %rd165;
	add.s64 	%rd282, %rd282, %rd17;
	sub.s64 	%rd281, %rd281, %rd19;
	add.s64 	%rd280, %rd280, %rd21;
	add.s64 	%rd279, %rd279, %rd14;
	add.s64 	%rd210, %rd15, %rd279;
	setp.lt.u64 	%p3, %rd210, %rd8;
	@%p3 bra 	LBB0_2;
	add.s64 	%rd293, %rd10, %rd279;
LBB0_4:
	shr.u64 	%rd7, %rd122, 4;
	setp.ge.u64 	%p4, %rd293, %rd8;
	@%p4 bra 	LBB0_7;
	shl.b64 	%rd211, %rd293, 4;
	add.s64 	%rd212, %rd2, %rd211;
	add.s64 	%rd292, %rd212, 8;
	shl.b64 	%rd36, %rd6, 4;
	mul.lo.s64 	%rd213, %rd293, 8834553413625063778;
	mov.u64 	%rd214, -8834553413625063778;
	sub.s64 	%rd291, %rd214, %rd213;
	mul.lo.s64 	%rd38, %rd6, 8834553413625063778;
	mul.lo.s64 	%rd215, %rd293, 4354685564936845354;
	add.s64 	%rd290, %rd215, -7046029254386353131;
	mul.lo.s64 	%rd40, %rd6, 4354685564936845354;
LBB0_6:
	.pragma "nounroll";
	ld.global.v2.u64 	{%rd219, %rd220}, [%rd292+-8];
	add.s64 	%rd217, %rd290, %rd219;
	add.s64 	%rd218, %rd291, %rd220;
	mul.hi.u64 %rd216, %rd217, %rd218;
	mul.lo.s64 	%rd221, %rd217, %rd218;
	add.s64 	%rd295, %rd221, %rd295;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd218, 32;
	shr.b64 	%rhs, %rd218, 32;
	add.u64 	%rd222, %lhs, %rhs;
	}
	xor.b64  	%rd223, %rd222, %rd217;
	add.s64 	%rd224, %rd216, %rd294;
	add.s64 	%rd294, %rd224, %rd223;
	add.s64 	%rd293, %rd293, %rd6;
	add.s64 	%rd292, %rd292, %rd36;
	sub.s64 	%rd291, %rd291, %rd38;
	add.s64 	%rd290, %rd290, %rd40;
	setp.lt.u64 	%p5, %rd293, %rd8;
	@%p5 bra 	LBB0_6;
LBB0_7:
	setp.lt.u64 	%p6, %rd293, %rd7;
	@%p6 bra 	LBB0_9;
	bra.uni 	LBB0_8;
LBB0_9:
	and.b64  	%rd58, %rd2, 3;
	shl.b64 	%rd297, %rd293, 4;
	shl.b64 	%rd60, %rd6, 4;
	or.b64  	%rd296, %rd297, 8;
	setp.eq.s64 	%p7, %rd58, 0;
	bra.uni 	LBB0_10;
LBB0_29:
	add.s64 	%rd235, %rd2, %rd79;
	ld.global.u32 	%rd236, [%rd235+8];
	ld.global.u32 	%rd237, [%rd235+12];
	shl.b64 	%rd238, %rd237, 32;
	or.b64  	%rd308, %rd238, %rd236;
LBB0_18:
	shl.b64 	%rd246, %rd293, 1;
	or.b64  	%rd247, %rd246, 1;
	mul.lo.s64 	%rd248, %rd247, -7046029254386353131;
	add.s64 	%rd244, %rd304, %rd248;
	mul.lo.s64 	%rd249, %rd293, -8834553413625063778;
	add.s64 	%rd250, %rd249, %rd308;
	add.s64 	%rd245, %rd250, -8834553413625063778;
	mul.hi.u64 %rd243, %rd244, %rd245;
	mul.lo.s64 	%rd251, %rd245, %rd244;
	add.s64 	%rd295, %rd251, %rd295;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd245, 32;
	shr.b64 	%rhs, %rd245, 32;
	add.u64 	%rd252, %lhs, %rhs;
	}
	xor.b64  	%rd253, %rd252, %rd244;
	add.s64 	%rd254, %rd243, %rd294;
	add.s64 	%rd294, %rd254, %rd253;
	add.s64 	%rd293, %rd293, %rd6;
	add.s64 	%rd297, %rd297, %rd60;
	add.s64 	%rd296, %rd296, %rd60;
	setp.lt.u64 	%p17, %rd293, %rd7;
	@%p17 bra 	LBB0_10;
	bra.uni 	LBB0_8;
LBB0_10:
	.pragma "nounroll";
	shl.b64 	%rd79, %rd293, 4;
	or.b64  	%rd225, %rd79, 8;
	setp.le.u64 	%p8, %rd225, %rd3;
	and.pred  	%p9, %p7, %p8;
	@%p9 bra 	LBB0_28;
	mov.u64 	%rd302, 0;
	mov.u64 	%rd301, %rd297;
	mov.u64 	%rd304, %rd302;
LBB0_12:
	.pragma "nounroll";
	setp.ge.u64 	%p10, %rd301, %rd3;
	@%p10 bra 	LBB0_14;
	add.s64 	%rd231, %rd2, %rd301;
	ld.global.u8 	%rd232, [%rd231];
	cvt.u32.u64 	%r13, %rd302;
	shl.b64 	%rd233, %rd232, %r13;
	or.b64  	%rd304, %rd233, %rd304;
	add.s64 	%rd302, %rd302, 8;
	add.s64 	%rd301, %rd301, 1;
	setp.ne.s64 	%p11, %rd302, 64;
	@%p11 bra 	LBB0_12;
	bra.uni 	LBB0_14;
LBB0_28:
	add.s64 	%rd226, %rd2, %rd79;
	ld.global.u32 	%rd227, [%rd226];
	ld.global.u32 	%rd228, [%rd226+4];
	shl.b64 	%rd229, %rd228, 32;
	or.b64  	%rd304, %rd229, %rd227;
LBB0_14:
	add.s64 	%rd234, %rd79, 16;
	setp.le.u64 	%p13, %rd234, %rd3;
	and.pred  	%p14, %p7, %p13;
	@%p14 bra 	LBB0_29;
	mov.u64 	%rd305, 0;
	mov.u64 	%rd306, %rd296;
	mov.u64 	%rd308, %rd305;
LBB0_16:
	.pragma "nounroll";
	setp.ge.u64 	%p15, %rd306, %rd3;
	@%p15 bra 	LBB0_18;
	add.s64 	%rd240, %rd2, %rd306;
	ld.global.u8 	%rd241, [%rd240];
	cvt.u32.u64 	%r14, %rd305;
	shl.b64 	%rd242, %rd241, %r14;
	or.b64  	%rd308, %rd242, %rd308;
	add.s64 	%rd306, %rd306, 1;
	add.s64 	%rd305, %rd305, 8;
	setp.ne.s64 	%p16, %rd305, 64;
	@%p16 bra 	LBB0_16;
	bra.uni 	LBB0_18;
LBB0_8:
	ld.param.u64 	%rd117, [lockstep_sum_table_param_1];
	cvt.u64.u32 	%rd1, %r8;
	mov.u32 	%r34, 16;
LBB0_19:
	.pragma "nounroll";
	cvt.u32.u64 	%r17, %rd295;
	shfl.sync.down.b32 %r16, %r17, %r34, 31, -1;
	cvt.u64.u32 	%rd255, %r16;
	shr.u64 	%rd256, %rd295, 32;
	cvt.u32.u64 	%r20, %rd256;
	shfl.sync.down.b32 %r19, %r20, %r34, 31, -1;
	cvt.u64.u32 	%rd257, %r19;
	shl.b64 	%rd258, %rd257, 32;
	add.s64 	%rd259, %rd295, %rd255;
	add.s64 	%rd295, %rd259, %rd258;
	cvt.u32.u64 	%r23, %rd294;
	shfl.sync.down.b32 %r22, %r23, %r34, 31, -1;
	cvt.u64.u32 	%rd260, %r22;
	shr.u64 	%rd261, %rd294, 32;
	cvt.u32.u64 	%r26, %rd261;
	shfl.sync.down.b32 %r25, %r26, %r34, 31, -1;
	cvt.u64.u32 	%rd262, %r25;
	shl.b64 	%rd263, %rd262, 32;
	add.s64 	%rd264, %rd294, %rd260;
	add.s64 	%rd294, %rd264, %rd263;
	shr.u32 	%r2, %r34, 1;
	setp.lt.u32 	%p18, %r34, 2;
	mov.u32 	%r34, %r2;
	@%p18 bra 	LBB0_20;
	bra.uni 	LBB0_19;
LBB0_20:
	cvt.u32.u64 	%r28, %rd11;
	and.b32  	%r29, %r28, 31;
	setp.eq.s32 	%p19, %r29, 0;
	mov.u64 	%rd266, lockstep_sum_table_$_of_warps;
	@%p19 bra 	LBB0_21;
	bra.uni 	LBB0_22;
LBB0_21:
	shr.u32 	%r30, %r28, 5;
	mul.wide.u32 	%rd265, %r30, 16;
	add.s64 	%rd101, %rd266, %rd265;
	add.s64 	%rd102, %rd101, 8;
	st.shared.u64 	[%rd101], %rd295;
	st.shared.u64 	[%rd102], %rd294;
LBB0_22:
	cvt.u32.u64 	%r31, %rd5;
	bar.sync 	0;
	setp.eq.s32 	%p20, %r28, 0;
	setp.gt.u32 	%p21, %r31, 63;
	and.pred  	%p22, %p20, %p21;
	@!%p22 bra 	LBB0_25;
	bra.uni 	LBB0_23;
LBB0_23:
	shr.u32 	%r33, %r31, 5;
	add.s64 	%rd311, %rd266, 24;
	add.s32 	%r35, %r33, -1;
LBB0_24:
	.pragma "nounroll";
	ld.shared.u64 	%rd269, [%rd311+-8];
	add.s64 	%rd295, %rd269, %rd295;
	ld.shared.u64 	%rd270, [%rd311];
	add.s64 	%rd294, %rd270, %rd294;
	add.s32 	%r35, %r35, -1;
	add.s64 	%rd311, %rd311, 16;
	setp.ne.s32 	%p23, %r35, 0;
	@%p23 bra 	LBB0_24;
LBB0_25:
	setp.ne.s32 	%p24, %r28, 0;
	@%p24 bra 	LBB0_27;
	shl.b64 	%rd271, %rd1, 3;
	add.s64 	%rd272, %rd117, %rd271;
	add.s64 	%rd274, %rd272, 8;
	red.global.add.u64 [%rd272], %rd295;
	red.global.add.u64 [%rd274], %rd294;
LBB0_27:
	ret;
}
.visible .entry lockstep_sum(
	.param .u64 lockstep_sum_param_0,
	.param .u64 lockstep_sum_param_1,
	.param .u64 lockstep_sum_param_2,
	.param .u64 lockstep_sum_param_3
)
{
	.reg .pred 	%p<26>;
	.reg .b32 	%r<34>;
	.reg .b64 	%rd<319>;
	.shared .align 8 .b8 lockstep_sum_$_of_warps[512];
	ld.param.u64 	%rd112, [lockstep_sum_param_1];
	ld.param.u64 	%rd111, [lockstep_sum_param_0];
	mov.u32 	%r7, %tid.x;
	mov.u32 	%r8, %ntid.x;
	mov.u32 	%r9, %nctaid.x;
	cvt.s64.s32 	%rd1, %r9;
	cvt.u64.u32 	%rd2, %r8;
	mul.lo.s64 	%rd3, %rd1, %rd2;
	add.s64 	%rd116, %rd112, 15;
	and.b64  	%rd117, %rd111, 15;
	setp.eq.s64 	%p1, %rd117, 0;
	shr.u64 	%rd118, %rd112, 4;
	selp.b64 	%rd5, %rd118, 0, %p1;
	mov.u32 	%r10, %ctaid.x;
	cvt.s64.s32 	%rd6, %r10;
	mul.lo.s64 	%rd7, %rd6, %rd2;
	cvt.u64.u32 	%rd8, %r7;
	add.s64 	%rd296, %rd7, %rd8;
	mul.lo.s64 	%rd119, %rd3, 3;
	add.s64 	%rd120, %rd296, %rd119;
	setp.ge.u64 	%p2, %rd120, %rd5;
	mov.u64 	%rd298, 0;
	mov.u64 	%rd277, -8834553413625063778;
	shl.b64 	%rd278, %rd3, 4;
	mov.u64 	%rd297, %rd298;
	@%p2 bra 	LBB1_4;
	shl.b64 	%rd10, %rd3, 2;
	mul.lo.s64 	%rd122, %rd1, 3;
	add.s64 	%rd123, %rd122, %rd6;
	mul.lo.s64 	%rd11, %rd123, %rd2;
	mul.lo.s64 	%rd124, %rd11, 8834553413625063778;
	mul.lo.s64 	%rd125, %rd8, 8834553413625063778;
	add.s64 	%rd126, %rd124, %rd125;
	sub.s64 	%rd12, %rd277, %rd126;
	mul.lo.s64 	%rd13, %rd3, 1555274492918848120;
	mul.lo.s64 	%rd128, %rd11, 4354685564936845354;
	mul.lo.s64 	%rd129, %rd8, 4354685564936845354;
	add.s64 	%rd130, %rd128, %rd129;
	add.s64 	%rd14, %rd130, -7046029254386353131;
	mul.lo.s64 	%rd15, %rd3, 1028001813962170200;
	shl.b64 	%rd131, %rd11, 4;
	shl.b64 	%rd132, %rd8, 4;
	add.s64 	%rd16, %rd131, %rd132;
	shl.b64 	%rd17, %rd3, 6;
	add.s64 	%rd133, %rd6, %rd1;
	mul.lo.s64 	%rd134, %rd133, %rd2;
	add.s64 	%rd135, %rd134, %rd8;
	mul.lo.s64 	%rd136, %rd135, 4354685564936845354;
	add.s64 	%rd18, %rd136, -7046029254386353131;
	shl.b64 	%rd19, %rd296, 4;
	add.s64 	%rd138, %rd278, %rd19;
	or.b64  	%rd20, %rd138, 8;
	mul.lo.s64 	%rd139, %rd135, 8834553413625063778;
	sub.s64 	%rd21, %rd277, %rd139;
	mul.lo.s64 	%rd140, %rd296, 8834553413625063778;
	sub.s64 	%rd22, %rd277, %rd140;
	mul.lo.s64 	%rd141, %rd296, 4354685564936845354;
	add.s64 	%rd23, %rd141, -7046029254386353131;
	shl.b64 	%rd142, %rd1, 1;
	add.s64 	%rd143, %rd142, %rd6;
	mul.lo.s64 	%rd144, %rd143, %rd2;
	shl.b64 	%rd145, %rd144, 4;
	add.s64 	%rd24, %rd145, %rd132;
	mul.lo.s64 	%rd146, %rd144, 4354685564936845354;
	add.s64 	%rd147, %rd146, %rd129;
	add.s64 	%rd25, %rd147, -7046029254386353131;
	mul.lo.s64 	%rd148, %rd144, 8834553413625063778;
	add.s64 	%rd149, %rd148, %rd125;
	sub.s64 	%rd26, %rd277, %rd149;
	mov.u64 	%rd284, 0;
	mov.u64 	%rd282, %rd8;
	mov.u64 	%rd283, %rd111;
	mov.u64 	%rd285, %rd284;
	mov.u64 	%rd297, %rd284;
	mov.u64 	%rd298, %rd284;
LBB1_2:
	.pragma "nounroll";
	add.s64 	%rd162, %rd283, %rd24;
	ld.global.v2.u64 	{%rd163, %rd164}, [%rd162];
	add.s64 	%rd165, %rd283, %rd16;
	ld.global.v2.u64 	{%rd166, %rd167}, [%rd165];
	add.s64 	%rd168, %rd283, %rd19;
	ld.global.v2.u64 	{%rd169, %rd170}, [%rd168];
	add.s64 	%rd171, %rd23, %rd284;
	add.s64 	%rd151, %rd171, %rd169;
	add.s64 	%rd172, %rd22, %rd285;
	add.s64 	%rd152, %rd172, %rd170;
	mul.hi.u64 %rd150, %rd151, %rd152;
	mul.lo.s64 	%rd173, %rd151, %rd152;
	add.s64 	%rd174, %rd173, %rd298;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd152, 32;
	shr.b64 	%rhs, %rd152, 32;
	add.u64 	%rd175, %lhs, %rhs;
	}
	xor.b64  	%rd176, %rd175, %rd151;
	add.s64 	%rd177, %rd176, %rd297;
	add.s64 	%rd178, %rd177, %rd150;
	add.s64 	%rd179, %rd283, %rd20;
	ld.global.v2.u64 	{%rd180, %rd181}, [%rd179+-8];
	add.s64 	%rd182, %rd18, %rd284;
	add.s64 	%rd154, %rd182, %rd180;
	add.s64 	%rd183, %rd21, %rd285;
	add.s64 	%rd155, %rd183, %rd181;
	mul.hi.u64 %rd153, %rd154, %rd155;
	mul.lo.s64 	%rd184, %rd154, %rd155;
	add.s64 	%rd185, %rd174, %rd184;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd155, 32;
	shr.b64 	%rhs, %rd155, 32;
	add.u64 	%rd186, %lhs, %rhs;
	}
	xor.b64  	%rd187, %rd186, %rd154;
	add.s64 	%rd188, %rd178, %rd187;
	add.s64 	%rd189, %rd188, %rd153;
	add.s64 	%rd190, %rd25, %rd163;
	add.s64 	%rd157, %rd190, %rd284;
	add.s64 	%rd191, %rd26, %rd164;
	add.s64 	%rd158, %rd191, %rd285;
	mul.hi.u64 %rd156, %rd157, %rd158;
	mul.lo.s64 	%rd192, %rd157, %rd158;
	add.s64 	%rd193, %rd185, %rd192;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd158, 32;
	shr.b64 	%rhs, %rd158, 32;
	add.u64 	%rd194, %lhs, %rhs;
	}
	xor.b64  	%rd195, %rd194, %rd157;
	add.s64 	%rd196, %rd189, %rd195;
	add.s64 	%rd197, %rd196, %rd156;
	add.s64 	%rd198, %rd14, %rd166;
	add.s64 	%rd160, %rd198, %rd284;
	add.s64 	%rd199, %rd12, %rd167;
	add.s64 	%rd161, %rd199, %rd285;
	mul.hi.u64 %rd159, %rd160, %rd161;
	mul.lo.s64 	%rd200, %rd160, %rd161;
	add.s64 	%rd298, %rd193, %rd200;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd161, 32;
	shr.b64 	%rhs, %rd161, 32;
	add.u64 	%rd201, %lhs, %rhs;
	}
	xor.b64  	%rd202, %rd201, %rd160;
	add.s64 	%rd203, %rd197, %rd202;
	add.s64 	%rd297, %rd203, %rd159;
	add.s64 	%rd285, %rd285, %rd13;
	sub.s64 	%rd284, %rd284, %rd15;
	add.s64 	%rd283, %rd283, %rd17;
	add.s64 	%rd282, %rd282, %rd10;
	add.s64 	%rd204, %rd11, %rd282;
	setp.lt.u64 	%p3, %rd204, %rd5;
	@%p3 bra 	LBB1_2;
	add.s64 	%rd296, %rd7, %rd282;
LBB1_4:
	shr.u64 	%rd4, %rd116, 4;
	setp.ge.u64 	%p4, %rd296, %rd5;
	@%p4 bra 	LBB1_7;
	shl.b64 	%rd205, %rd296, 4;
	add.s64 	%rd206, %rd205, %rd111;
	add.s64 	%rd295, %rd206, 8;
	mul.lo.s64 	%rd207, %rd296, 8834553413625063778;
	sub.s64 	%rd294, %rd277, %rd207;
	mul.lo.s64 	%rd34, %rd3, 8834553413625063778;
	mul.lo.s64 	%rd209, %rd296, 4354685564936845354;
	add.s64 	%rd293, %rd209, -7046029254386353131;
	mul.lo.s64 	%rd36, %rd3, 4354685564936845354;
LBB1_6:
	.pragma "nounroll";
	ld.global.v2.u64 	{%rd213, %rd214}, [%rd295+-8];
	add.s64 	%rd211, %rd293, %rd213;
	add.s64 	%rd212, %rd294, %rd214;
	mul.hi.u64 %rd210, %rd211, %rd212;
	mul.lo.s64 	%rd215, %rd211, %rd212;
	add.s64 	%rd298, %rd215, %rd298;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd212, 32;
	shr.b64 	%rhs, %rd212, 32;
	add.u64 	%rd216, %lhs, %rhs;
	}
	xor.b64  	%rd217, %rd216, %rd211;
	add.s64 	%rd218, %rd210, %rd297;
	add.s64 	%rd297, %rd218, %rd217;
	add.s64 	%rd296, %rd296, %rd3;
	add.s64 	%rd295, %rd295, %rd278;
	sub.s64 	%rd294, %rd294, %rd34;
	add.s64 	%rd293, %rd293, %rd36;
	setp.lt.u64 	%p5, %rd296, %rd5;
	@%p5 bra 	LBB1_6;
LBB1_7:
	setp.lt.u64 	%p6, %rd296, %rd4;
	@%p6 bra 	LBB1_9;
	bra.uni 	LBB1_8;
LBB1_9:
	and.b64  	%rd54, %rd111, 3;
	shl.b64 	%rd300, %rd296, 4;
	or.b64  	%rd299, %rd300, 8;
	setp.eq.s64 	%p7, %rd54, 0;
	bra.uni 	LBB1_10;
LBB1_30:
	ld.global.u32 	%rd230, [%rd275+8];
	ld.global.u32 	%rd231, [%rd275+12];
	shl.b64 	%rd232, %rd231, 32;
	or.b64  	%rd311, %rd232, %rd230;
LBB1_18:
	shl.b64 	%rd240, %rd296, 1;
	or.b64  	%rd241, %rd240, 1;
	mul.lo.s64 	%rd242, %rd241, -7046029254386353131;
	add.s64 	%rd238, %rd307, %rd242;
	mul.lo.s64 	%rd243, %rd296, -8834553413625063778;
	add.s64 	%rd244, %rd243, %rd311;
	add.s64 	%rd239, %rd244, -8834553413625063778;
	mul.hi.u64 %rd237, %rd238, %rd239;
	mul.lo.s64 	%rd245, %rd239, %rd238;
	add.s64 	%rd298, %rd245, %rd298;
	{
	.reg .b64 %lhs;
	.reg .b64 %rhs;
	shl.b64 	%lhs, %rd239, 32;
	shr.b64 	%rhs, %rd239, 32;
	add.u64 	%rd246, %lhs, %rhs;
	}
	xor.b64  	%rd247, %rd246, %rd238;
	add.s64 	%rd248, %rd237, %rd297;
	add.s64 	%rd297, %rd248, %rd247;
	add.s64 	%rd296, %rd296, %rd3;
	add.s64 	%rd300, %rd300, %rd278;
	add.s64 	%rd299, %rd299, %rd278;
	setp.lt.u64 	%p17, %rd296, %rd4;
	@%p17 bra 	LBB1_10;
	bra.uni 	LBB1_8;
LBB1_10:
	.pragma "nounroll";
	shl.b64 	%rd75, %rd296, 4;
	or.b64  	%rd219, %rd75, 8;
	setp.le.u64 	%p8, %rd219, %rd112;
	and.pred  	%p9, %p7, %p8;
	add.s64 	%rd275, %rd111, %rd75;
	@%p9 bra 	LBB1_29;
	mov.u64 	%rd305, 0;
	mov.u64 	%rd304, %rd300;
	mov.u64 	%rd307, %rd305;
LBB1_12:
	.pragma "nounroll";
	setp.ge.u64 	%p10, %rd304, %rd112;
	@%p10 bra 	LBB1_14;
	add.s64 	%rd225, %rd111, %rd304;
	ld.global.u8 	%rd226, [%rd225];
	cvt.u32.u64 	%r11, %rd305;
	shl.b64 	%rd227, %rd226, %r11;
	or.b64  	%rd307, %rd227, %rd307;
	add.s64 	%rd305, %rd305, 8;
	add.s64 	%rd304, %rd304, 1;
	setp.ne.s64 	%p11, %rd305, 64;
	@%p11 bra 	LBB1_12;
	bra.uni 	LBB1_14;
LBB1_29:
	ld.global.u32 	%rd221, [%rd275];
	ld.global.u32 	%rd222, [%rd275+4];
	shl.b64 	%rd223, %rd222, 32;
	or.b64  	%rd307, %rd223, %rd221;
LBB1_14:
	add.s64 	%rd228, %rd75, 16;
	setp.le.u64 	%p13, %rd228, %rd112;
	and.pred  	%p14, %p7, %p13;
	@%p14 bra 	LBB1_30;
	mov.u64 	%rd308, 0;
	mov.u64 	%rd309, %rd299;
	mov.u64 	%rd311, %rd308;
LBB1_16:
	.pragma "nounroll";
	setp.ge.u64 	%p15, %rd309, %rd112;
	@%p15 bra 	LBB1_18;
	add.s64 	%rd234, %rd111, %rd309;
	ld.global.u8 	%rd235, [%rd234];
	cvt.u32.u64 	%r12, %rd308;
	shl.b64 	%rd236, %rd235, %r12;
	or.b64  	%rd311, %rd236, %rd311;
	add.s64 	%rd309, %rd309, 1;
	add.s64 	%rd308, %rd308, 8;
	setp.ne.s64 	%p16, %rd308, 64;
	@%p16 bra 	LBB1_16;
	bra.uni 	LBB1_18;
LBB1_8:
	ld.param.u64 	%rd114, [lockstep_sum_param_3];
	ld.param.u64 	%rd113, [lockstep_sum_param_2];
	mov.u32 	%r32, 16;
LBB1_19:
	.pragma "nounroll";
	cvt.u32.u64 	%r15, %rd298;
	shfl.sync.down.b32 %r14, %r15, %r32, 31, -1;
	cvt.u64.u32 	%rd249, %r14;
	shr.u64 	%rd250, %rd298, 32;
	cvt.u32.u64 	%r18, %rd250;
	shfl.sync.down.b32 %r17, %r18, %r32, 31, -1;
	cvt.u64.u32 	%rd251, %r17;
	shl.b64 	%rd252, %rd251, 32;
	add.s64 	%rd253, %rd298, %rd249;
	add.s64 	%rd298, %rd253, %rd252;
	cvt.u32.u64 	%r21, %rd297;
	shfl.sync.down.b32 %r20, %r21, %r32, 31, -1;
	cvt.u64.u32 	%rd254, %r20;
	shr.u64 	%rd255, %rd297, 32;
	cvt.u32.u64 	%r24, %rd255;
	shfl.sync.down.b32 %r23, %r24, %r32, 31, -1;
	cvt.u64.u32 	%rd256, %r23;
	shl.b64 	%rd257, %rd256, 32;
	add.s64 	%rd258, %rd297, %rd254;
	add.s64 	%rd297, %rd258, %rd257;
	shr.u32 	%r2, %r32, 1;
	setp.lt.u32 	%p18, %r32, 2;
	mov.u32 	%r32, %r2;
	@%p18 bra 	LBB1_20;
	bra.uni 	LBB1_19;
LBB1_20:
	cvt.u32.u64 	%r26, %rd8;
	and.b32  	%r27, %r26, 31;
	setp.eq.s32 	%p19, %r27, 0;
	mov.u64 	%rd260, lockstep_sum_$_of_warps;
	@%p19 bra 	LBB1_21;
	bra.uni 	LBB1_22;
LBB1_21:
	shr.u32 	%r28, %r26, 5;
	mul.wide.u32 	%rd259, %r28, 16;
	add.s64 	%rd97, %rd260, %rd259;
	add.s64 	%rd98, %rd97, 8;
	st.shared.u64 	[%rd97], %rd298;
	st.shared.u64 	[%rd98], %rd297;
LBB1_22:
	cvt.u32.u64 	%r29, %rd2;
	bar.sync 	0;
	setp.eq.s32 	%p20, %r26, 0;
	setp.gt.u32 	%p21, %r29, 63;
	and.pred  	%p22, %p20, %p21;
	@!%p22 bra 	LBB1_25;
	bra.uni 	LBB1_23;
LBB1_23:
	shr.u32 	%r31, %r29, 5;
	add.s64 	%rd314, %rd260, 24;
	add.s32 	%r33, %r31, -1;
LBB1_24:
	.pragma "nounroll";
	ld.shared.u64 	%rd263, [%rd314+-8];
	add.s64 	%rd298, %rd263, %rd298;
	ld.shared.u64 	%rd264, [%rd314];
	add.s64 	%rd297, %rd264, %rd297;
	add.s32 	%r33, %r33, -1;
	add.s64 	%rd314, %rd314, 16;
	setp.ne.s32 	%p23, %r33, 0;
	@%p23 bra 	LBB1_24;
LBB1_25:
	setp.ne.s32 	%p24, %r26, 0;
	@%p24 bra 	LBB1_28;
	red.global.add.u64 [%rd113], %rd298;
	add.s64 	%rd267, %rd113, 8;
	red.global.add.u64 [%rd267], %rd297;
	membar.gl;
	add.s64 	%rd270, %rd113, 16;
	atom.global.add.u64 %rd269, [%rd270], 1;
	add.s64 	%rd271, %rd269, 1;
	setp.ne.s64 	%p25, %rd271, %rd1;
	@%p25 bra 	LBB1_28;
	membar.gl;
	ld.volatile.global.u64 	%rd272, [%rd113];
	st.global.u64 	[%rd114], %rd272;
	ld.volatile.global.u64 	%rd273, [%rd113+8];
	st.global.u64 	[%rd114+8], %rd273;
	mov.u64 	%rd274, 0;
	st.volatile.global.u64 	[%rd113], %rd274;
	st.volatile.global.u64 	[%rd113+8], %rd274;
	st.volatile.global.u64 	[%rd113+16], %rd274;
LBB1_28:
	ret;
}
)ptx";

}  // namespace lockstep::pytorch
