/** How a conversation ends, and what comes after it. */

/** What comes after the conversation, in the same terminal. */
export type Then =
	| { readonly is: "new" }
	/** The conversation that the words find. */
	| { readonly is: "resume"; readonly words: string }
	/** A copy of this conversation. */
	| { readonly is: "fork" };

export type ChatEnd =
	/** `stopped`: with all agents. `left_running`: the run goes on. `lost`: its supervisor is gone. */
	| {
			readonly by: "closed" | "stopped" | "left_running" | "run_ended" | "lost";
			readonly after?: Then | undefined;
	  }
	/** A signal, or the end of the terminal, which is SIGHUP. An attached conversation left its run alone. */
	| { readonly by: "signal"; readonly signal: number };
