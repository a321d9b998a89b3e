/**
 * The process table as `ps` shows it: macOS, the BSDs, and Linux without /proc. Each question costs a process, some ten
 * milliseconds whatever is asked, so who asks many at once takes a snapshot. What it knows less well than /proc:
 * - Start times are whole seconds: a pid that was given again within a second is taken for the same process.
 * - macOS does not tell a session's leader, only an address or 0: there a process's group stands for its session.
 * - Environments follow the command's words without a border: a value may be cut where a word in it looks like a name.
 *   macOS hides those of its own programs (/bin/sleep), FreeBSD those that rewrote their title.
 * In a fork bomb there is no process left for ps: where there is a /proc, it is read for a while, whatever is asked for.
 */

import { isFailedLook } from "./failed-look.ts";
import type { Look, ProcessTable } from "./process-table.ts";
import { environmentBehind, type PsProcess, parseCommandLines, parseProcesses, psArguments } from "./ps-output.ts";
import { type Ps, type PsOutput, SYSTEM_PS } from "./run-ps.ts";
import { shareLooks } from "./share-looks.ts";
import { SYSTEM_CLOCK } from "./system-clock.ts";

const WITHOUT_PS_MS = 5_000; // when it could not be run: trying again costs its whole timeout

/** `instead`: looks while ps cannot be run; without it such a look fails. `now`: milliseconds that never go back. */
export function createPsTable(
	platform: string,
	ps: Ps = SYSTEM_PS,
	{ instead, now = SYSTEM_CLOCK.elapsed }: { instead?: ProcessTable | undefined; now?: () => number } = {},
): ProcessTable {
	const { facts, environments } = psArguments(platform);
	const ask = (which: readonly string[]) => ({
		facts: () => ps.run([...facts, ...which]),
		environments: () => ps.run([...environments, ...which]),
	});
	const only: Looking = {
		list: () => lookOf(ask(["-A"])).list(),
		read: (pid) => lookOf(ask(["-p", String(pid)])).read(pid),
		environment: (pid) => lookOf(ask(["-p", String(pid)])).environment(pid),
		look: () => lookOf(ask(["-A"])),
		freshLook: async () => {
			const looks = [ps.start([...facts, "-A"]), ps.start([...environments, "-A"])] as const;
			const [now, lines] = await Promise.all(looks);
			return lookOf({ facts: () => now, environments: () => lines });
		},
	};
	const table = instead === undefined ? only : withOther(only, instead, now);
	return { ...table, newestPid: () => undefined, freshLook: shareLooks(table.freshLook), isCostly: true };
}

type Looking = Omit<ProcessTable, "newestPid" | "isCostly">;

/** Asks `other` when the first cannot look, and then for a while at once. */
function withOther(first: Looking, other: ProcessTable, now: () => number): Looking {
	let failedAt = Number.NEGATIVE_INFINITY;
	const hasJustFailed = () => now() - failedAt < WITHOUT_PS_MS;
	const failed = (error: unknown) => {
		if (!isFailedLook(error)) throw error;
		failedAt = now();
	};
	const ask = <T>(question: (look: Look) => T, table: Look = first): T => {
		if (hasJustFailed()) return question(other);
		try {
			return question(table);
		} catch (error) {
			failed(error);
			return question(other);
		}
	};
	const asking = (table: Look): Look => ({
		list: () => ask((asked) => asked.list(), table),
		read: (pid) => ask((asked) => asked.read(pid), table),
		environment: (pid) => ask((asked) => asked.environment(pid), table),
	});
	return {
		...asking(first),
		look: () => (hasJustFailed() ? other.look() : asking(first.look())),
		freshLook: async () => {
			if (hasJustFailed()) return other.look();
			return (await first.freshLook().catch(failed)) ?? other.look();
		},
	};
}

/** Each is asked at most once, and only when it is needed. */
function lookOf(look: { facts: () => PsOutput; environments: () => PsOutput }): Look {
	const byPid = once(() => processesIn(look.facts()));
	const lines = once(() => parseCommandLines(look.environments().stdout));
	const parsed = new Map<number, Record<string, string>>();
	return {
		list: () => [...byPid().values()].map(({ info }) => info),
		read: (pid) => byPid().get(pid)?.info,
		environment: (pid) => {
			const process = byPid().get(pid);
			const line = process === undefined ? undefined : lines().get(pid);
			if (process === undefined || line === undefined) return undefined; // it was over by one of the looks
			const environment = parsed.get(pid) ?? environmentBehind(process.words, line);
			parsed.set(pid, environment);
			return environment;
		},
	};
}

function processesIn({ pid, stdout }: PsOutput): Map<number, PsProcess> {
	const others = parseProcesses(stdout).filter(({ info }) => info.pid !== pid);
	return new Map(others.map((process) => [process.info.pid, process]));
}

function once<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
