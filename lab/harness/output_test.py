from harness.output import LineCutter, RankProgress, read_line


def test_progress_follows_the_lines():
    progress: dict[int, RankProgress] = {}
    assert read_line("lab rank=1 ready pid=77 world=2", progress)
    assert progress[1].pid == 77 and progress[1].world == 2 and progress[1].last_step is None
    assert read_line("lab rank=1 step=0 loss=0.1000000015", progress)
    assert read_line("lab rank=1 step=1 loss=nan", progress)
    assert progress[1].losses == {0: "0.1000000015", 1: "nan"}
    assert not progress[1].done
    assert read_line("lab rank=1 done params=00ff00ff00ff00ff", progress)
    assert progress[1].describe() == "done"


def test_launcher_prefixes_are_no_obstacle():
    progress: dict[int, RankProgress] = {}
    assert read_line("[1,0]<stdout>:lab rank=0 step=3 loss=1.5", progress)
    assert progress[0].last_step == 3


def test_other_lines_are_left_alone():
    progress: dict[int, RankProgress] = {}
    for line in ("", "lab rank=x step=1 loss=2", "lab rank=0 done params=short", "step=1 loss=2",
                 "lab rank=0 step=1 loss=0.5 and more words"):
        assert not read_line(line, progress)
    assert progress == {}


def test_lines_are_cut_wherever_the_bytes_end():
    text = "lab rank=0 ready pid=5 world=1\nzwölf\nlast".encode()
    for cut in range(len(text)):
        cutter = LineCutter()
        lines = cutter.feed(text[:cut]) + cutter.feed(text[cut:]) + cutter.finish()
        assert lines == ["lab rank=0 ready pid=5 world=1", "zwölf", "last"]
