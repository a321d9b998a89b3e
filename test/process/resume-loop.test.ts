/** A supervisor that is killed again and again, at any moment: the run comes to its end all the same. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { agentsInOrder } from "../../src/core/run-state.ts";
import { replayRun } from "../../src/store/load-run.ts";
import { readEvents, readTranscript } from "../../src/store/read-events.ts";
import { readAgentFile, readRunFile } from "../../src/store/read-run.ts";
import { diceOf } from "../unit/dice.ts";
import { census } from "./census.ts";
import { startProgram, temporaryHome } from "./program.ts";

const WAIT = { timeout: 20_000, interval: 25 };
const KILLS = 10;
const SCRIPT = `
agents:
  - task: outer
    turns:
      - { delay: 80ms, say: one, run: "echo 1 >> ran" }
      - { delay: 80ms, say: two, run: "echo 2 >> ran; sleep 0.1; echo 2b >> ran" }
      - { delay: 80ms, say: three, run: "echo 3 >> ran; agent part" }
      - { delay: 80ms, say: four, run: ["echo 4 >> ran", "echo 5 >> ran; agent part"] }
      - { delay: 80ms, say: five, run: "echo 6 >> ran" }
      - { delay: 80ms, say: "The end." }
  - task: part
    turns:
      - { delay: 50ms, say: look, run: "echo {{agent}} >> ran" }
      - { delay: 50ms, say: "Done." }
`;

test("killed ten times at random moments, a run goes on each time, runs no command twice and answers", async () => {
	// Seen to fail with a run that begins anew when its first agent had joined: 1 was run twice.
	const { roll } = diceOf(20261128);
	const home = temporaryHome();
	writeFileSync(join(home, "s.yaml"), SCRIPT);
	let program = startProgram(["run", "-m", "script:s.yaml", "outer"], { home });
	const directory = await program.runDirectory();
	let kills = 0;
	let end = await killed(program, roll(900));
	while (end.signal === "SIGKILL" && kills < KILLS) {
		kills++;
		program = startProgram(["resume"], { home });
		end = kills === KILLS ? await program.ended : await killed(program, roll(900));
	}
	expect(end, end.stderr.toString()).toMatchObject({ code: 0 });
	expect(end.stdout.toString()).toBe("The end.\n");
	await vi.waitFor(() => expect(census(program)).toEqual([]), WAIT);

	const ran = readFileSync(join(home, "ran"), "utf8").trim().split("\n");
	expect(ran).toEqual([...new Set(ran)]);
	expect(readEvents(directory).damage).toEqual([]);
	expect(readRunFile(directory)).toMatchObject({ ending: { by: "answer" }, exit_code: 0 });
	const { state } = replayRun(directory);
	for (const { id, turns } of agentsInOrder(state)) {
		const { values, damage } = readTranscript(directory, id);
		expect(damage).toEqual([]);
		const answers = values.flatMap((entry) => (entry.role === "assistant" ? [entry.turn] : []));
		expect(answers).toEqual(answers.toSorted((a, b) => a - b));
		expect(new Set(answers).size).toBe(answers.length);
		expect(turns).toBeGreaterThanOrEqual(answers.length);
		expect(readAgentFile(directory, id).agent).toBe(id);
		const commands = values.flatMap((entry) => (entry.role === "user" ? (entry.commands ?? []) : []));
		expect(commands.every(({ log }) => log === undefined || existsSync(join(directory, ...id.split("."), log)))).toBe(
			true,
		);
	}

	async function killed(running: typeof program, afterMs: number) {
		await Promise.race([sleep(afterMs), running.ended]); // at any moment is the point
		running.kill("SIGKILL");
		return running.ended;
	}
});
