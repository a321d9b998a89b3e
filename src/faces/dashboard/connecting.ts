/** What is shown of a run before anything is known of it: nothing, and after a while that the dashboard waits. */
import type { Timer } from "../../core/clock.ts";
import { shortRunId } from "../../core/run/run-id.ts";
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { type Line, segment } from "../../tui/text/line.ts";
import type { Picture } from "./scene/scene.ts";

/** A supervisor tells of its run within this time, unless it is very busy. Until then an empty screen is better than a false one. */
const CONNECTING_MS = 150;

/** Whether there is something to show; also when a person has opened something, so that leaving can be seen. */
export function isShowable({ run, isLost, ui }: Picture): boolean {
	return run.run !== "" || isLost || ui.open.is !== "none";
}

export class Connecting {
	private readonly run: string;
	private readonly clock: Pick<Timer, "after">;
	private isLate = false;

	constructor(run: string, clock: Pick<Timer, "after">) {
		this.run = cleanText(shortRunId(run));
		this.clock = clock;
	}

	/** Calls `onLate` when the lines change. Returns what calls that off. */
	begin(onLate: () => void): () => void {
		return this.clock.after(CONNECTING_MS, () => {
			this.isLate = true;
			onLate();
		});
	}

	get lines(): Line[] {
		return this.isLate ? [[segment(` connecting to run ${this.run} …`, "dim")]] : [];
	}
}
