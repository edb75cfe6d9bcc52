"""Groups of operations, by the names that profilers give them."""

import re

import pytest

from analysis.data.operation_groups import Group, group_of

NAMES = {
    Group.PRODUCTS: """aten::addmm | aten::bmm | aten::convolution_backward | aten::einsum
        mkldnn::_linear_pointwise | ynn_fusion(add, dot, tanh) in query | dot in self_attention
        convolution in conv | MklMatMul in dense | FusedConv2D in patch_embed | gemm_fusion_dot
        BatchMatMulV2 in softmax | ampere_sgemm_128x64_tn | nvjet_tst_128x160_64x5
        custom-call(__cublas$gemm) in query | sm80_xmma_fprop_implicit_gemm_tf32
        triton_tem_fused_addmm | gemm_fusion_dot(dot, multiply) in self_attention_layer
        nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_NNT | gemm_fusion_dot(dot) in token_embedding
        void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)""",
    Group.ATTENTION: """aten::_scaled_dot_product_flash_attention_for_cpu | aten::_softmax
        void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>> | Softmax
        fusion(exponential, subtract) in softmax | Mul in Softmax | cpp_fused__softmax_mul
        fmha_cutlassF_bf16_aligned_64x64_rf_sm80 | softmax_warp_forward<float, float>
        void (anonymous namespace)::softmax_warp_forward<float, float, float, 5, false, false, 32>
        triton_softmax | triton_softmax(divide, exponential, reduce, subtract) in while
        cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x256_4x1x1
        void cudnn::fusion::compute_dot_do_o_specialized<true, 256>(void const*, void const*)
        fusion(divide, exponential, multiply, reduce, select, subtract) in dropout""",
    Group.NORMALISATION: """aten::native_layer_norm_backward | cpp_fused_add_native_layer_norm
        aten::rsqrt | fusion(multiply, reduce) in self_attention_layer_norm | FusedBatchNormV3
        multiply(add, multiply) in final_normalization | ynn_fusion(reduce) in weighted_moments
        void at::native::(anonymous namespace)::ComputeBackwardFusedParamsCUDAKernel<float>(long)
        triton_softmax(add, multiply, reduce, rsqrt) in mul | add(subtract) in _var
        cpp_fused_add_mean_mul_pow_rsqrt | void at::native::vectorized_layer_norm_kernel<f>
        void at::native::vectorized_elementwise_kernel<4, at::native::rsqrt_kernel_cuda(long)>""",
    Group.ELEMENTWISE: """aten::gelu | aten::mul | aten::_log_softmax | cpp_fused_add_view
        void (anonymous namespace)::softmax_warp_backward<float, float, float, 10, true, false, 32>
        ynn_fusion(reduce) in SparseSoftmaxCrossEntropyWithLogits | reduction_prod_kernel
        void at::native::tensor_kernel_scan_outer_dim<float, unsigned int, std::plus<float> >()
        void at::native::tensor_kernel_scan_innermost_dim<long, std::plus<long> >(long*, long)
        add_bitcast_fusion(add, exponential, reduce) in log_softmax | aten::native_dropout_backward
        wrapped_exponential(exponential) in log_softmax | select(multiply, select) in dropout
        AddV2 in add | fusion(add, multiply) in dense | tanh | BiasAddGrad | aten::nll_loss_forward
        triton_poi_fused_add_gelu | SparseSoftmaxCrossEntropyWithLogits | loop_add_fusion
        input_compare_transpose_fusion(add, compare, convert, maximum, multiply, or, select)
        input_transpose_fusion(add, transpose) in key
        loop_add_fusion(add, concatenate, multiply, negate, slice) in rotary_embedding
        aten::__or__ | cpp_fused__scaled_dot_product_flash_attention_for_cpu_add_cat""",
    Group.COPIES: """aten::copy_ | aten::_to_copy | aten::t | aten::as_strided | aten::zero_
        aten::meshgrid | copy | transpose(copy, transpose) in key | wrapped_transpose | Cast
        ConcatV2 | cpp_fused_clone_transpose_view | Memcpy HtoD (Pageable -> Device)
        StridedSlice | copy_bitcast_fusion | ReadVariableOp in query | PyFunc
        XlaDynamicUpdateSlice in while | fusion(concatenate, transpose) in pre_attention_norm
        loop_broadcast_fusion(add, compare, dynamic-update-slice, multiply) in self_attention
        loop_select_fusion(select) in attention | memcpy128 | concatenate(convert) in softmax""",
    Group.OPTIMIZER: """aten::mul_ in Optimizer.step | aten::_foreach_add_ | ResourceApplyAdam
        multiply(add, sqrt) in adamw | Mul in adam_w | aten::_fused_adamw_
        multi_tensor_apply_kernel""",
    Group.EMBEDDING: """aten::embedding_dense_backward | gather in token_embedding | ResourceGather
        aten::index_select | cpp_fused_embedding | void indexSelectLargeIndex<float>
        fusion(add, scatter) in embeddings | loop_add_fusion(add, select) in segment_embedding
        void at::native::(anonymous namespace)::sum_and_scatter<float, long>(long const*)""",
    Group.RANDOM: """aten::bernoulli_ | aten::native_dropout | aten::randint
        bitcast_concatenate_fusion(add, concatenate, or, shift-left, slice) in closed_call
        concatenate_bitcast_fusion(add, compare, concatenate, convert, multiply, or, shift-left)
        loop_xor_fusion(add, xor) in stateless_random_uniform | rng_bit_generator
        StatelessRandomUniformV2 | rng-bit-generator
        void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, 4, bool>(long)
        void at::native::distribution_elementwise_grid_stride_kernel<unsigned long, 2>(long)""",
    Group.OTHER: """CompiledFxGraph | ynn_fusion | while | nobody::knows | PartitionedCall
        operations that are not listed""",
}


@pytest.mark.parametrize(
    ("name", "group"),
    [(name, group) for group, names in NAMES.items() for name in re.split(r" \| |\n +", names)],
)
def test_groups_of_names_as_profilers_give_them(name, group):
    assert group_of(name) is group
