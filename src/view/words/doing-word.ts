import type { Doing } from "../../core/doing.ts";

/** What people read for what an agent does. */
export function doingWord(doing: Doing): string {
	if (doing === "asking") return "asks you";
	return doing === "listening" ? "waiting for you" : doing;
}
