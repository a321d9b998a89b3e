/**
 * Grants the wishes that the terminal is for: to draw everything again, the mouse, a text in the pager, an answer in the clipboard.
 */
import { commandLog } from "../../core/bash-call.ts";
import { AgentreeError } from "../../core/errors.ts";
import { transcriptPath } from "../../record/run-directory.ts";
import type { RecordedRun } from "../../record/run-source.ts";
import { fitEnd } from "../../text/width/width.ts";
import type { WholeScreen } from "../../tui/screen/whole-screen.ts";
import type { FaceShell } from "../../tui/shell.ts";
import { Pager } from "../../tui/terminal/chosen-program.ts";
import { describeCopied } from "../../tui/terminal/modes.ts";
import type { Wish } from "./scene/pane.ts";

/** The terminal, and what a program that has it for a while needs. */
type Lendable = Pick<FaceShell<WholeScreen, unknown>, "isLent" | "lend" | "returned"> & {
	readonly screen: Pick<WholeScreen, "copy" | "redraw" | "mouse" | "size">;
};

export interface TerminalEffectsOptions {
	readonly record: RecordedRun;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Says in the bar what came of it. */
	readonly onTold: (text: string, isTrouble: boolean) => void;
}

const BLANKS = 2; // around what the bar says
/** The run's id, and the place below it of an agent that is not too deep. */
const LEAST_PATH_COLUMNS = 44;

type TerminalEffect = Extract<Wish, { is: "redraw" | "mouse" | "read" | "copy" }>;

export class TerminalEffects {
	readonly #shell: Lendable;
	readonly #options: TerminalEffectsOptions;
	readonly #pager: Pager;

	constructor(shell: Lendable, options: TerminalEffectsOptions) {
		this.#shell = shell;
		this.#options = options;
		this.#pager = new Pager(options.env);
	}

	grant(wish: TerminalEffect): void {
		switch (wish.is) {
			case "redraw":
				return this.#shell.screen.redraw();
			case "mouse":
				return this.#shell.screen.mouse(wish.isOn);
			case "copy":
				return this.#copy(wish);
			case "read":
				if (!this.#shell.isLent) void this.#read(wish);
		}
	}

	close(): void {
		this.#pager.close();
	}

	async #read({ what }: Extract<TerminalEffect, { is: "read" }>): Promise<void> {
		const { onTold } = this.#options;
		let text: AsyncIterable<string> | Iterable<string>;
		try {
			text =
				what.is === "text" ? [what.text] : this.#options.record.output(what.agent, commandLog(what.command)).text();
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
			return onTold(error.message, true);
		}
		this.#shell.lend();
		const trouble = await this.#pager.show(text).catch((error: Error) => error.message);
		this.#shell.returned();
		if (trouble !== undefined) onTold(trouble, true);
	}

	#copy({ agent, text }: Extract<TerminalEffect, { is: "copy" }>): void {
		const { screen } = this.#shell;
		const { record, env, onTold } = this.#options;
		const copied = describeCopied(text, screen.copy(text), env);
		const said = `${copied.what}; it is in `;
		const room = screen.size.columns - BLANKS - said.length - copied.hint.length;
		const path = underHome(transcriptPath(record.directory, agent), env.HOME);
		onTold(`${said}${fitEnd(path, Math.max(LEAST_PATH_COLUMNS, room))}${copied.hint}`, false);
	}
}

function underHome(path: string, home: string | undefined): string {
	return home !== undefined && home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
