import { readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { ProcessInfo, ProcessTable } from "./process-table.ts";

const SLICE = 100; // reading one takes some 10 µs

/** All processes, for who must not hold up his event loop meanwhile: to read thousands takes longer than a key may wait. */
export async function listInSlices(table: ProcessTable): Promise<ProcessInfo[]> {
	if (table.isCostly) return (await table.freshLook()).list();
	const pids = listPids();
	const infos: ProcessInfo[] = [];
	for (let at = 0; at < pids.length; at += SLICE) {
		infos.push(...pids.slice(at, at + SLICE).flatMap((pid) => table.read(pid) ?? []));
		await setImmediate();
	}
	return infos;
}

function listPids(): number[] {
	try {
		return readdirSync("/proc").map(Number).filter(Number.isInteger);
	} catch {
		return []; // there is no /proc
	}
}
