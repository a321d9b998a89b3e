/** The two readers on the real process table: both tell the same of a process, except for the start time. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isRecordedAlive, openProcessTable } from "../../../src/processes/table/open-table.ts";
import { hasEnded, isAlive, type ProcessInfo } from "../../../src/processes/table/process-table.ts";
import { WAIT } from "../../wait.ts";

/** A program that prints `ready`, then waits. */
async function startProcess(line: string, env: Record<string, string> = {}): Promise<ChildProcess & { pid: number }> {
	const child = spawn("bash", ["-c", line, "bash", "WORD=of the command"], {
		detached: true,
		stdio: ["pipe", "pipe", "ignore"],
		env: { PATH: process.env.PATH, ...env },
	});
	onTestFinished(() => void child.kill("SIGKILL"));
	await once(child.stdout as NodeJS.ReadableStream, "data");
	return child as ChildProcess & { pid: number };
}

const WAITS = "echo ready; read -r";

describe.each(["proc", "ps"])("read by %s", (reader) => {
	const table = openProcessTable({ AGENTREE_PROCESS_TABLE: reader });

	test("a process has parent, group, session, user and start time, read alone and in the list", async () => {
		const { pid } = await startProcess(WAITS);
		await vi.waitFor(() => expect(table.read(pid)?.state).toBe("S")); // after its `ready` it still runs for a moment
		const info = table.read(pid);
		expect(info).toMatchObject({
			...{ pid, parent: process.pid, group: pid, session: pid, state: "S", name: "bash" },
			uid: process.getuid?.(),
		});
		expect(info?.startTime).toMatch(reader === "ps" ? /^ps:\d{10}$/ : /^\d+$/);
		expect(table.list().find((other) => other.pid === pid)).toMatchObject({ startTime: info?.startTime });
		expect(isAlive(table, info as ProcessInfo)).toBe(true);
		expect(isRecordedAlive(info as ProcessInfo)).toBe(true);
	});

	test("its environment is read whole, and no word of the command is taken for a variable", async () => {
		// Seen to fail for ps with the command's own words not taken off.
		const { pid } = await startProcess(WAITS, { ONE: "1", SPACES: "a b  c", LETTERS: "grün" });
		const environment = table.environment(pid);
		expect(environment).toMatchObject({ ONE: "1", SPACES: "a b  c", LETTERS: "grün", PATH: process.env.PATH });
		expect(environment).not.toHaveProperty("WORD");
		expect(table.look().environment(pid)).toMatchObject({ ONE: "1", LETTERS: "grün" });
	});

	test("a process that is over or never was is not alive, and has no environment", async () => {
		const child = await startProcess(WAITS);
		const info = table.read(child.pid) as ProcessInfo;
		child.stdin?.end();
		await once(child, "exit");
		expect([isAlive(table, info), isRecordedAlive(info)]).toEqual([false, false]);
		expect([table.read(2 ** 22 + 1), table.environment(2 ** 22 + 1)]).toEqual([undefined, undefined]);
	});

	test("a zombie has ended, and a later process with its pid is another one", async () => {
		const { pid } = await startProcess("sleep 0.5 & echo ready; exec sleep 60"); // bash would wait for one that ends before its exec
		const zombie = await vi.waitFor(() => {
			const found = table.list().find((info) => info.parent === pid && hasEnded(info));
			expect(found).toBeDefined();
			return found as ProcessInfo;
		}, WAIT);
		expect([isAlive(table, zombie), isRecordedAlive(zombie)]).toEqual([false, false]);
		const living = table.read(pid) as ProcessInfo;
		const earlier = { pid, startTime: reader === "ps" ? "ps:1" : "1" };
		expect([isAlive(table, living), isAlive(table, earlier), isRecordedAlive(earlier)]).toEqual([true, false, false]);
	});
});

test("a start time of one reader is never taken for alive by the other, so that it is never signaled", async () => {
	const { pid } = await startProcess(WAITS);
	const [proc, ps] = ["proc", "ps"].map((reader) => openProcessTable({ AGENTREE_PROCESS_TABLE: reader }));
	expect(isAlive(proc as never, ps?.read(pid) as ProcessInfo)).toBe(false);
	expect(isAlive(ps as never, proc?.read(pid) as ProcessInfo)).toBe(false);
});
