use super::*;

fn lines(runner: Runner, command: &str) -> Vec<String> {
    let translation = translate(runner, command).unwrap();
    translation.options.iter().map(|option| option.join(" ")).collect()
}

#[test]
fn a_test_of_fastchess() {
    let command = "fastchess -engine cmd=./new name=\"my new\" args=\"-x 'a b'\" -engine cmd=old proto=uci st=5 \
                   -each tc=40/1:30+0.5 option.Hash=16 timemargin=20 -openings file=UHO.epd format=epd order=random plies=8 \
                   -sprt elo0=0 elo1=5 alpha=0.05 beta=0.1 model=logistic -rounds 20000 -repeat -concurrency 2 \
                   -pgnout file=a.pgn nodes=true nps=true timeleft=true -srand 7 -tb /a;/b -tbpieces 5 -tbignore50 -recover \
                   -use-affinity 0-1";
    let expected = [
        "--engine cmd='./new -x \"a b\"' name='my new'",
        "--engine cmd=old protocol=uci st=5",
        "--each tc=40/90+0.5 option.Hash=16 margin=20",
        "--openings UHO.epd",
        "--plies 8",
        "--sprt 0,5",
        "--alpha 0.05",
        "--beta 0.1",
        "--elo-model logistic",
        "--concurrency 2",
        "--pgn a.pgn",
        "--pgn-fields score,depth,time,nodes,nps,clock",
        "--tablebases /a:/b",
        "--tablebase-men 5",
        "--tablebase-ignore-50",
        "--processors 0-1",
        "--pin",
        "--games 2",
        "--rounds 20000",
        "--order random",
        "--seed 7",
    ];
    let found = lines(Runner::Fastchess, &command.replace("-tb /a;/b", "-tb '/a;/b'"));
    assert_eq!(found, expected);
    let remarks = translate(Runner::Fastchess, command.split(" -tb ").next().unwrap()).unwrap().remarks;
    assert_eq!(remarks, ["-each: its limit of the moves does not hold for old, which has its own"]);
}

#[test]
fn a_tournament_of_cutechess() {
    let command = "cutechess-cli -engine conf=Deep -engine cmd=x proto=xboard restart=on ponder -each tc=inf depth=5 \
                   -tournament gauntlet -variant atomic -games 2 -rounds 3 -repeat -pgnout b.pgn min -epdout c.epd";
    let expected = [
        "--engine conf=Deep",
        "--engine cmd=x protocol=cecp restart=on ponder=true",
        "--each depth=5",
        "--format gauntlet",
        "--variant atomic",
        "--pgn b.pgn",
        "--pgn-fields none",
        "--epd c.epd",
        "--games 2",
        "--rounds 3",
    ];
    assert_eq!(lines(Runner::Cutechess, command), expected);
    let clock = "-engine cmd=a tc=5+1 -engine cmd=b tc=inf -each nodes=5";
    assert_eq!(lines(Runner::Cutechess, clock)[..3], ["--engine cmd=a", "--engine cmd=b", "--each nodes=5"]);
    let remarks = translate(Runner::Cutechess, clock).unwrap().remarks;
    assert!(remarks.len() == 1 && remarks[0].starts_with("-engine tc=5+1: left out"), "{remarks:?}");
    let once = lines(Runner::Cutechess, "-engine cmd=a -engine cmd=b -rounds 10");
    assert_eq!(once[2..], ["--games 1", "--rounds 10", "--no-reversal"]);
    let sprt = lines(Runner::Cutechess, "-engine cmd=a -engine cmd=b -sprt elo0=0 elo1=5 -repeat");
    assert_eq!(sprt[2..], ["--sprt 0,5", "--games 1", "--rounds 1", "--elo-model logistic"]);
}

#[test]
fn the_shell_reads_what_is_printed() {
    let command = "-engine cmd='a b' name=\"it's \\$5\" args=\"-x 'c d'\" -engine cmd=c -each tc=40/60+0.5";
    let text = translate(Runner::Fastchess, command).unwrap().text();
    let words = shell_words::split(&text.replace("\\\n", " ")).unwrap();
    assert_eq!(words[..3], ["herald", "match", "--engine"]);
    let keys = shell_words::split(&words[3]).unwrap();
    assert_eq!(shell_words::split(keys[0].strip_prefix("cmd=").unwrap()).unwrap(), ["a b", "-x", "c d"]);
    assert_eq!(keys[1], "name=it's $5");
    assert!(text.contains("\n    --engine cmd=c \\\n    --each tc=40/60+0.5 \\\n"), "{text}");
    let plain = translate(Runner::Fastchess, "-engine cmd=./a name='b c' tc=1+0.1 -rounds 3").unwrap().text();
    assert!(plain.contains("--engine \"cmd=./a name='b c' tc=1+0.1\" \\\n"), "{plain}");
}

/// Checks that our own parser reads a translation, and which options are named as left out.
fn accepted(runner: Runner, command: &str, left_out: &[&str]) -> Vec<String> {
    let translation = translate(runner, command).unwrap();
    translation.check().unwrap_or_else(|error| panic!("{command}: {error:#}"));
    let remarks = &translation.remarks;
    assert_eq!(remarks.len(), left_out.len(), "{command}: {remarks:?}");
    for (remark, expected) in remarks.iter().zip(left_out) {
        assert!(remark.starts_with(expected), "{command}: {remark}");
    }
    translation.options.iter().map(|option| option.join(" ")).collect()
}

#[test]
fn a_match_accepts_what_is_printed() {
    let both = "-engine cmd=a -engine cmd=b name=B";
    let fast =
        |more: &str, left_out: &[&str]| accepted(Runner::Fastchess, &format!("{both} {more}"), left_out);
    assert_eq!(fast("-each st=5 depth=10", &["-each st=5: left out"])[2], "--each depth=10");
    assert_eq!(fast("-each nodes=5 plies=7 tc=inf", &["-each plies=7: left out"])[2], "--each nodes=5");
    fast("-each tc=8+0.08 -engine cmd=c nodes=9", &["-each: its limit of the moves does not hold for c"]);
    let quick = accepted(Runner::Fastchess, "-quick cmd=./a cmd=./b book=UHO.epd -srand 9", &[]);
    for part in
        ["--engine cmd=./b", "--each tc=10+0.1", "--openings UHO.epd", "--order random", "--rounds 25000"]
    {
        assert!(quick.iter().any(|option| option == part), "{part}: {quick:?}");
    }
    let cores = usable_cores(0).to_string();
    assert_eq!(fast("-concurrency 0", &["-concurrency 0: on this"])[2], format!("--concurrency {cores}"));
    fast("-concurrency -1", &["-concurrency -1: on this"]);
    let log = "-log file=a.log level=trace compress=true append=false realtime=true engine=true";
    fast(log, &["-log level=trace: left out", "-log compress=true: left out", "-log append=false: left out"]);
    let pgn = "-pgnout file=a.pgn append=false match_line=x notation=uci nodes=false timeleft=true";
    let left_out = ["-pgnout append=false", "-pgnout match_line=x", "-pgnout notation=uci"];
    assert_eq!(fast(pgn, &left_out)[2..4], ["--pgn a.pgn", "--pgn-fields score,depth,time,clock"]);
    fast("-epdout file=a.epd append=false", &["-epdout append=false"]);
    fast("-config file=c.json outname=d.json", &["-config file=c.json outname=d.json: left out"]);
    fast(
        "-variant fischerandom -tournament gauntlet -seeds 1 -maxmoves 200 -report penta=true",
        &["-report"],
    );
    fast("-draw movenumber=40 movecount=8 score=10 -resign movecount=3 score=600 twosided=true", &[]);
    accepted(Runner::Cutechess, &format!("{both} -variant atomic -pgnout a.pgn fi -debug"), &[]);
    accepted(Runner::Cutechess, &format!("{both} -each stderr=e.log"), &["-each stderr=e.log: left out"]);
}

/// Names of options may have blanks, quoted in any way or not at all.
#[test]
fn options_with_blanks_in_their_names() {
    let both = "-engine cmd=a -engine cmd=b";
    for option in [
        "option.Move Overhead=10",
        "option.\"Move Overhead\"=10",
        "option.Move\\ Overhead=10",
        "'option.Move Overhead=10'",
        "\"option.Move Overhead\"=10",
    ] {
        let each = format!("{both} -each {option} tc=0/1:00+0.5");
        for runner in [Runner::Fastchess, Runner::Cutechess] {
            let options = accepted(runner, &each, &[]);
            assert_eq!(options[2], "--each 'option.Move Overhead=10' tc=60+0.5", "{option}");
        }
    }
    assert_eq!(accepted(Runner::Cutechess, &format!("{both} -each tc=0/60+0.5"), &[])[2], "--each tc=60+0.5");
    assert_eq!(accepted(Runner::Cutechess, &format!("{both} -each tc=40/1:00"), &[])[2], "--each tc=40/60");
}

#[test]
fn what_a_match_refuses_is_not_printed() {
    let refused =
        |command: &str| format!("{:#}", translate(Runner::Cutechess, command).unwrap().check().unwrap_err());
    let both = "-engine cmd=a -engine cmd=b";
    assert!(refused("-engine cmd=a").starts_with("1 engine: expected at least 2"));
    let losers = refused(&format!("{both} -variant losers"));
    assert!(losers.starts_with("--variant losers: the rules of this variant are not known here"), "{losers}");
    assert!(refused(&format!("{both} -rounds 0")).contains("expected at least 1"));
    assert!(refused(&format!("{both} -concurrency 5000")).contains("expected 1 to 1024"));
    assert!(refused(&format!("{both} -draw movenumber=many")).starts_with("--draw"));
    assert!(refused(&format!("{both} -each tc=now")).contains("unreadable time control"));
    assert!(refused(&format!("{both} -tournament knock")).contains("invalid value 'knock'"));
}

#[test]
fn what_is_not_known_is_named() {
    let error = |command: &str| format!("{:#}", translate(Runner::Fastchess, command).unwrap_err());
    assert_eq!(error("-engine cmd=a -fast"), "-fast: this option is not known");
    assert!(error("-engine speed=3").contains("speed: this key"));
    assert!(error("-rounds many").contains("expected a number"));
    assert!(error("nonsense").contains("expected options"));
    let remarks = translate(Runner::Fastchess, "-recover -randomseed").unwrap().remarks;
    assert!(remarks[0].starts_with("-recover: left out; an engine that crashes"), "{remarks:?}");
}
