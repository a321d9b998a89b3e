/**
 * Grants the wishes that the terminal is for: to draw anew, the mouse, a text in the pager, an answer in the clipboard, a bell; and lends
 * the terminal, to the pager and to the shell.
 */
import { formatBytes } from "../../core/bytes.ts";
import { commandLog } from "../../core/command.ts";
import { AgentreeError } from "../../core/errors.ts";
import { ownJob } from "../../processes/foreground.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import { firstBytes, MOST_COPIED } from "../../terminal/clipboard.ts";
import { Pager } from "../../terminal/pager.ts";
import { Suspension } from "../../terminal/suspension.ts";
import { SIGNALS } from "../../terminal/system-events.ts";
import { fitEnd } from "../../text/width/fit-end.ts";
import type { Wish } from "./scene/pane.ts";
import type { Screen } from "./screen.ts";

interface TerminalEffectsDeps {
	readonly screen: Pick<Screen, "suspend" | "lose" | "resume" | "copy" | "redraw" | "mouse" | "size" | "bell">;
	readonly record: RecordedRun;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Instead of a bell. */
	readonly notify?: ((text: string) => void) | undefined;
	/** Says in the bar what came of it. */
	readonly onTold: (text: string, isTrouble: boolean) => void;
}

const BLANKS = 2; // around what the bar says
/** The run's id, and the place below it of an agent that is not too deep. */
const LEAST_PATH_COLUMNS = 44;

type TerminalEffect = Extract<Wish, { is: "redraw" | "mouse" | "read" | "copy" }>;

export class TerminalEffects {
	private readonly deps: TerminalEffectsDeps;
	private readonly pager: Pager;
	private readonly suspension: Suspension;
	constructor(deps: TerminalEffectsDeps) {
		this.deps = deps;
		this.pager = new Pager(deps.env);
		this.suspension = new Suspension(deps.screen, ownJob(deps.env, Object.values(SIGNALS)));
	}

	/** The pager has the terminal, and with it the keys that send signals to all that was started from there. */
	get isPaging(): boolean {
		return this.suspension.isLent;
	}

	grant(wish: TerminalEffect): void {
		switch (wish.is) {
			case "redraw":
				return this.deps.screen.redraw();
			case "mouse":
				return this.deps.screen.mouse(wish.isOn);
			case "copy":
				return this.copy(wish);
			case "read":
				if (!this.isPaging) void this.read(wish);
		}
	}

	/** To a person who may look elsewhere. */
	tell(notice: string | undefined): void {
		const { screen, notify } = this.deps;
		if (notice === undefined) return;
		if (notify === undefined) screen.bell();
		else notify(notice);
	}

	/** Ctrl-Z. */
	suspend(): void {
		this.suspension.suspend();
	}

	/** On SIGCONT. */
	goOn(): void {
		this.suspension.goOn();
	}

	close(): void {
		this.suspension.close();
		this.pager.close();
	}

	private async read({ what }: Extract<TerminalEffect, { is: "read" }>): Promise<void> {
		const { onTold } = this.deps;
		let text: AsyncIterable<string> | Iterable<string>;
		try {
			text = what.is === "text" ? [what.text] : this.deps.record.output(what.agent, commandLog(what.command)).text();
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
			return onTold(error.message, true);
		}
		this.suspension.lend();
		const trouble = await this.pager.show(text).catch((error: Error) => error.message);
		this.suspension.returned();
		if (trouble !== undefined) onTold(trouble, true);
	}

	private copy({ agent, text }: Extract<TerminalEffect, { is: "copy" }>): void {
		const { screen, record, env, onTold } = this.deps;
		const bytes = Buffer.byteLength(text);
		const copied = bytes <= MOST_COPIED ? text : firstBytes(text, MOST_COPIED);
		screen.copy(copied);
		const what = copied === text ? formatBytes(bytes) : `${formatBytes(MOST_COPIED)} of ${formatBytes(bytes)}`;
		const tmux = env.TMUX === undefined ? "" : " (tmux: set -s set-clipboard on)";
		const said = `copied ${what}; it is in `;
		const room = screen.size().columns - BLANKS - said.length - tmux.length;
		const path = underHome(transcriptPath(record.directory, agent), env.HOME);
		onTold(`${said}${fitEnd(path, Math.max(LEAST_PATH_COLUMNS, room))}${tmux}`, false);
	}
}

function underHome(path: string, home: string | undefined): string {
	return home !== undefined && home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
