/**
 * The process table as `ps` shows it: macOS, the BSDs, and Linux without /proc. Each question starts a process, which takes
 * some ten milliseconds whatever is asked, so for many questions take a look. What it knows less well than /proc:
 * - Start times are whole seconds: a pid that is reused within a second is taken for the same process.
 * - macOS does not tell a session's leader, only an address or 0: there the process group stands for the session.
 * - Environments follow the command's words without a border: a value may be cut where a word in it looks like a name.
 *   macOS hides the environments of its own programs (/bin/sleep), FreeBSD those of programs that rewrote their title.
 * In a fork bomb no process is left for ps: where there is a /proc, it is read instead for a while.
 */

import { SYSTEM_CLOCK } from "../system-clock.ts";
import { isFailedLook } from "./failed-look.ts";
import type { Look, ProcessTable } from "./process-table.ts";
import { environmentBehind, type PsProcess, parseCommandLines, parseProcesses, psArguments } from "./ps-output.ts";
import { type Ps, type PsOutput, SYSTEM_PS } from "./run-ps.ts";
import { shareLooks } from "./share-looks.ts";

const FALLBACK_MS = 5_000; // from a failure of ps on: to try it again may cost its whole timeout

/** `fallback` answers while ps cannot be run; without it such a look throws. `now`: milliseconds that never go back. */
export function createPsTable(
	platform: string,
	ps: Ps = SYSTEM_PS,
	{ fallback, now = SYSTEM_CLOCK.elapsed }: { fallback?: ProcessTable | undefined; now?: () => number } = {},
): ProcessTable {
	const { facts, environments } = psArguments(platform);
	const ask = (which: readonly string[]) => ({
		facts: () => ps.run([...facts, ...which]),
		environments: () => ps.run([...environments, ...which]),
	});
	const only: PsLooks = {
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
	const table = fallback === undefined ? only : withFallback(only, fallback, now);
	return { ...table, newestPid: () => undefined, freshLook: shareLooks(table.freshLook), isCostly: true };
}

type PsLooks = Omit<ProcessTable, "newestPid" | "isCostly">;

/** Asks `fallback` when `first` fails, and then for FALLBACK_MS without trying `first`. */
function withFallback(first: PsLooks, fallback: ProcessTable, now: () => number): PsLooks {
	let failedAt = Number.NEGATIVE_INFINITY;
	const hasJustFailed = () => now() - failedAt < FALLBACK_MS;
	const failed = (error: unknown) => {
		if (!isFailedLook(error)) throw error;
		failedAt = now();
	};
	const ask = <T>(question: (look: Look) => T, table: Look = first): T => {
		if (hasJustFailed()) return question(fallback);
		try {
			return question(table);
		} catch (error) {
			failed(error);
			return question(fallback);
		}
	};
	const asking = (table: Look): Look => ({
		list: () => ask((asked) => asked.list(), table),
		read: (pid) => ask((asked) => asked.read(pid), table),
		environment: (pid) => ask((asked) => asked.environment(pid), table),
	});
	return {
		...asking(first),
		look: () => (hasJustFailed() ? fallback.look() : asking(first.look())),
		freshLook: async () => {
			if (hasJustFailed()) return fallback.look();
			return (await first.freshLook().catch(failed)) ?? fallback.look();
		},
	};
}

/** A look that runs each of the two ps at most once, and only when its answer is needed. */
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
			if (process === undefined || line === undefined) return undefined; // the process was over when the second ps ran
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
