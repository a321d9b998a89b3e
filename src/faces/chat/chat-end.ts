/** How a conversation ends, and what comes after it. */

/** What comes after the conversation, in the same terminal. */
export type Then =
	/** `draft`: what stands in its line. */
	| { readonly is: "new"; readonly draft?: string }
	/** Another one, or with `isFork` a copy of it; undefined: of this one. */
	| {
			readonly is: "resume";
			readonly run: string | undefined;
			readonly isFork: boolean;
			/** The copy ends before this message, which stands in the line. */
			readonly cut?: CutAt;
	  };

/** A message of the person, counted from 1, at which a conversation is cut. */
export interface CutAt {
	readonly message: number;
	readonly text: string;
}

export type ChatEnd =
	/** `stopped`: with all agents. `left_running`: the run goes on. `lost`: its supervisor is gone. */
	| {
			readonly by: "closed" | "stopped" | "left_running" | "run_ended" | "lost";
			readonly after?: Then | undefined;
	  }
	/**
	 * A signal, or the end of the terminal, which is SIGHUP. An attached conversation left its run alone. `isUntold`: the run was
	 * just being started, and could not be told to end. `isLeft`: it goes on at another terminal.
	 */
	| { readonly by: "signal"; readonly signal: number; readonly isUntold?: true; readonly isLeft?: true };
