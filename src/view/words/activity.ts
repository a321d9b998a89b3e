/** Whether a running command gets on, as people read it. */
import { formatDuration } from "../../text/durations.ts";

/** `silent for 1m50s, 0.0 s of CPU`; what is not known is left out, and `` when nothing is. */
export function describeActivity(
	{ silentSince, cpuMs }: { readonly silentSince?: number | undefined; readonly cpuMs?: number | undefined },
	now: number,
): string {
	const silence = silentSince === undefined ? [] : [`no output for ${formatDuration(now - silentSince)}`];
	return [...silence, ...(cpuMs === undefined ? [] : [`${formatCpu(cpuMs)} CPU time`])].join(", ");
}

/** `0.0 s`, `12.3 s`, `2m05s`: under a minute in tenths, since a command that computes next to nothing is what is looked for. */
export function formatCpu(ms: number): string {
	return ms < 60_000 ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : formatDuration(ms);
}
