"""What `rope` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric

#: Distances at which scores are measured.
DISTANCES = (0, 1, 4, 16, 64, 256, 1024, 4096)
_DISTANCES = ", ".join(str(d) for d in DISTANCES)
TABLE = both("scores by distance", "分数与距离")
ITSELF = both("q = k, relative to 0", "q = k，相对距离 0")
OTHER = both("independent q, k", "独立的 q、k")

METRICS = {
    "shift_error": metric(
        "",
        both("score change by shift", "平移后分数的变化"),
        both(
            "largest change of a score q·k/√d_k when all positions are shifted, mean over draws",
            "所有位置一同平移时分数 q·k/√d_k 的最大变化，对各次抽样取均值",
        ),
        low=0,
        sampled=True,
    ),
    "output_shift": metric(
        "",
        both("output change by shift", "平移后输出的变化"),
        both(
            "rms change of the output when all positions are shifted, over its own rms",
            "所有位置一同平移时输出变化的均方根，与输出均方根之比",
        ),
        low=0,
        sampled=True,
    ),
    "shift_error_added": metric(
        "",
        both("the same, added", "同上，相加式编码"),
        both(
            "largest change of a score by that shift where sinusoidal embeddings are added to "
            "q and k instead",
            "改为把正弦位置编码加到 q 与 k 上时，同样平移下分数的最大变化",
        ),
        low=0,
        sampled=True,
    ),
    "norm_change": metric(
        "",
        both("change of ‖q‖", "‖q‖ 的变化"),
        both(
            "largest relative change of a query's length by the rotation, mean over draws",
            "旋转引起的查询长度的最大相对变化，对各次抽样取均值",
        ),
        low=0,
        sampled=True,
    ),
    "score_change": metric(
        "",
        both("score change by rotation", "旋转对分数的改变"),
        both(
            "rms change of the scores by the rotation itself, over their rms without it",
            "旋转本身引起的分数变化的均方根，与不旋转时分数均方根之比",
        ),
        low=0,
        sampled=True,
    ),
    "score_std": metric(
        "",
        both("std of rotated scores", "旋转后分数的标准差"),
        both("standard deviation of q·k/√d_k after the rotation", "旋转之后 q·k/√d_k 的标准差"),
        low=0,
        sampled=True,
    ),
    "score_std_plain": metric(
        "",
        both("std without rotation", "不旋转的分数标准差"),
        both("standard deviation of q·k/√d_k without it", "不旋转时 q·k/√d_k 的标准差"),
        low=0,
        sampled=True,
    ),
    "wavelength_shortest": metric(
        "",
        both("shortest wavelength", "最短波长"),
        both("positions to a whole turn of the fastest pair", "转得最快的一对转满一圈的位置数"),
        low=0,
    ),
    "wavelength_longest": metric(
        "",
        both("longest wavelength", "最长波长"),
        both("positions to a whole turn of the slowest pair", "转得最慢的一对转满一圈的位置数"),
        low=0,
    ),
    "unfinished_pairs": metric(
        "share",
        both("pairs short of a turn", "未转满一圈的对"),
        both(
            "share of pairs whose wavelength is longer than the trained length",
            "波长超过训练长度的对所占比例",
        ),
        low=0,
        high=1,
    ),
    "self_score": metric(
        "",
        both("score with itself", "与自身的分数"),
        both(
            "score of a vector with itself over that at distance 0, mean: at distances "
            + _DISTANCES,
            "向量与自身的分数与距离 0 时之比，均值：距离依次为 " + _DISTANCES,
        ),
        low=-1,
        high=1.001,
        sampled=True,
    ),
    "independent_std": metric(
        "",
        both("std, independent q, k", "独立 q、k 的标准差"),
        both(
            "standard deviation of q·k/√d_k of independent q and k at distances " + _DISTANCES,
            "独立的 q 与 k 的 q·k/√d_k 标准差，距离依次为 " + _DISTANCES,
        ),
        low=0,
        sampled=True,
    ),
    "rising_share": metric(
        "share",
        both("steps that rise", "上升的步数比例"),
        both(
            "share of steps within the trained length at which the expected score of a vector "
            "with itself rises with the distance",
            "训练长度之内，距离加 1 时向量与自身分数的期望反而上升的步数比例",
        ),
        low=0,
        high=1,
    ),
    "unseen_share": metric(
        "share",
        both("unseen angles", "未见过的角度"),
        both(
            "share of angles past the trained length, over pairs and positions, that lie more "
            "than 1.5 trained steps from every trained angle of that pair",
            "超出训练长度的角度（对 × 位置）中，与该对训练时所有角度相差超过 1.5 步的比例",
        ),
        low=0,
        high=1,
    ),
    "unseen_pairs": metric(
        "share",
        both("pairs with such angles", "出现此类角度的对"),
        both("share of pairs that meet an unseen angle", "会遇到未见角度的对所占比例"),
        low=0,
        high=1,
    ),
    "next_angle": metric(
        "",
        both("angle to the next token", "相邻词元的夹角"),
        both(
            "radians between neighbouring positions in the fastest pair, past the trained length",
            "超出训练长度后，转得最快的一对在相邻位置间的弧度",
        ),
        low=0,
    ),
    "unseen_by_extend": metric(
        "share",
        both("unseen by extension", "各外推方式的未见角度"),
        both(
            "share of unseen angles: plain, positions interpolated, larger base",
            "未见角度的比例：直接外推、位置内插、增大底数",
        ),
        low=0,
        high=1,
    ),
}
