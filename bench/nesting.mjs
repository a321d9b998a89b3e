/**
 * What one more level of nesting costs, beside a bare `node` in the same second: `agent 'agent true'` takes longer than
 * `agent true` by the start, the two model calls, the command and the end of one agent.
 * Usage: npm run bench -- nesting
 */
import { inHome, outputOfRun } from "./a-run.mjs";
import { median, rounded } from "./figures.mjs";
import { keepResults } from "./results.mjs";

const ROUNDS = 40;
const WARM_UP = 2;
const AIM = 1.8;

const timed = `t=$EPOCHREALTIME; "${process.execPath}" -e 0; t+=" $EPOCHREALTIME"; agent true; t+=" $EPOCHREALTIME"; agent 'agent true'; echo $t $EPOCHREALTIME`;
const task = `for i in $(seq ${WARM_UP + ROUNDS}); do ${timed}; done > times; cat times`;
const limits = ["--max-agents", "1000", "--max-total-turns", "10000"];

await inHome(async (place) => {
	const output = await outputOfRun([...limits, "--model", "shell", task], place);
	const lines = output.split("\n").filter((line) => /^[\d. ]+$/.test(line));
	const rounds = lines.slice(WARM_UP).map(roundOf);
	const bareMs = median(rounds.map(({ bareMs }) => bareMs));
	const levelMs = median(rounds.map(({ levelMs }) => levelMs));
	const ratio = median(rounds.map((round) => round.levelMs / round.bareMs));
	console.log(
		`nesting: one more level ${levelMs.toFixed(1)} ms, node -e 0 ${bareMs.toFixed(1)} ms, ratio ${ratio.toFixed(2)} (aim: at most ${AIM}; medians of ${rounds.length})`,
	);
	keepResults("nesting", {
		rounds: rounds.length,
		levelMs: rounded(levelMs, 1),
		nodeMs: rounded(bareMs, 1),
		ratio: rounded(ratio),
	});
});

function roundOf(line) {
	const [start, bare, one, two] = line.split(" ").map((seconds) => Number(seconds) * 1000);
	return { bareMs: bare - start, levelMs: two - one - (one - bare) };
}
