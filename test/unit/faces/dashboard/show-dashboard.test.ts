/** The whole dashboard in an emulated terminal, with a supervisor that says what the test wants. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import type { RunState } from "../../../../src/core/run/run-state.ts";
import { showDashboard } from "../../../../src/faces/dashboard/show-dashboard.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import type { FromWatcher, ToWatcher } from "../../../../src/wire/watcher-messages.ts";
import { agentEnded, joined, replay, runEnded, runStarted, STARTED_AT } from "../../../fixtures/dashboard-run.ts";
import { Emulator } from "../../../fixtures/emulator.ts";
import { WAIT } from "../../../wait.ts";

const BEGUN = [runStarted("echo done"), joined("1", 100, "echo done")];
const LAST = [agentEnded("1", 900), runEnded(1_000)];
const ENDED = replay([...BEGUN, ...LAST]);

class Supervisor {
	private readonly listeners: ((message: ToWatcher) => void)[] = [];
	readonly heard: FromWatcher[] = [];
	send(message: FromWatcher): void {
		this.heard.push(message);
	}
	onMessage(listener: (message: ToWatcher) => void): void {
		this.listeners.push(listener);
	}
	onClose(): void {}
	say(message: ToWatcher): void {
		for (const listener of this.listeners) listener(message);
	}
}

async function open(state: RunState, notify?: (text: string) => void) {
	const runDirectory = mkdtempSync(join(tmpdir(), "agentree-dashboard-"));
	const output = Object.assign(new PassThrough(), { columns: 80, rows: 24, isTTY: true });
	const input = new PassThrough();
	const terminal = new Emulator({
		columns: 80,
		rows: 24,
		onAnswer: (text) => void setImmediate(() => input.write(text)),
	});
	output.on("data", (text) => terminal.write(String(text)));
	const clock = { now: STARTED_AT + 2_000 };
	const connection = new Supervisor();
	const env = { TERM: "xterm-256color" };
	const closed = showDashboard({
		record: new RecordedRun(runDirectory),
		connection,
		input,
		output,
		env,
		now: () => clock.now,
		...(notify !== undefined && { notify }),
	});
	onTestFinished(async () => {
		input.write("q");
		await closed;
		rmSync(runDirectory, { recursive: true, force: true });
	});
	const shows = (text: string) => vi.waitFor(() => expect(terminal.lines.join("\n")).toContain(text), WAIT);
	await vi.waitFor(() => expect(connection.heard).toContainEqual({ say: "watch", activity: true }), WAIT);
	connection.say({ say: "snapshot", state });
	return { clock, connection, terminal, shows, press: (keys: string) => void input.write(keys) };
}

test("what is said of a key of a run that is over can be read, however long ago the screen was drawn, and goes again", async () => {
	// Seen to fail with the time of the last frame: nothing was said at all; and without frames then: it stayed for good.
	const { clock, shows, press } = await open(ENDED);
	await shows("run ended: answer — q to close");
	clock.now += 3_600_000;
	press("x");
	await shows("the run has ended");
	clock.now += 11_000;
	await shows("run ended: answer — q to close");
});

test("the end of a run rings the bell once, or goes to the person's own command instead", async () => {
	// Seen to fail without `#notify`, and with a bell beside the command.
	const notified: string[] = [];
	for (const notify of [undefined, (text: string) => void notified.push(text)]) {
		const { connection, terminal, shows } = await open(replay(BEGUN), notify);
		await shows("echo done");
		expect(terminal.bells).toBe(0);
		for (const event of LAST) connection.say({ say: "event", event });
		await shows("run ended: answer");
		expect(terminal.bells).toBe(notify === undefined ? 1 : 0);
	}
	expect(notified).toEqual(["the run has ended"]);
});
