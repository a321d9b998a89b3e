/** The tools that models are offered: bash alone. The same bytes in every request of a run. */
import { BASH, DEFAULT_TIMEOUT_MS, MAX_RESULT_CHARS, MAX_TIMEOUT_MS } from "../../core/model/bash-tool.ts";
import type { Tool } from "../../core/model/message.ts";

const RESULT = String(MAX_RESULT_CHARS).replace(/\d{3}$/, ",$&");

const BASH_TOOL: Tool = {
	name: BASH,
	description: `Runs a command in bash and returns its output: stdout and stderr together, in order.

- Each call is a new shell in the same working directory. Only files stay between calls: no variables, no "cd".
- stdin is empty and there is no terminal: use non-interactive options.
- Output over ${RESULT} characters is cut in the middle; the marker names the file with the full output. Print little: head, grep -m, sed -n.
- A command has ${DEFAULT_TIMEOUT_MS / 1000} seconds, or what "timeout" asks for, up to ${MAX_TIMEOUT_MS / 1000}. Then all its processes are stopped; its output is kept. The clock stops while agents that it started are alive.
- Run servers in the background (./server > /tmp/log 2>&1 &): they stay until you are done, later commands reach them on localhost, and the result says how to stop them.
- Several calls in one answer run at the same time: put dependent commands in one call, or in the next answer.
- agent "task" starts a child agent with this same tool; its stdout is its answer. It knows only the task text, so include everything it needs. In parallel: agent "a" > /tmp/a & p=$!; agent "b" > /tmp/b & q=$!; wait $p; echo a=$?; wait $q; echo b=$?; cat /tmp/a /tmp/b
- agent edit FILE replaces text in a file with any number of blocks; each old text must occur exactly once:
agent edit a.ts <<'END'
<<<<<<< SEARCH
the old lines
=======
the new lines
>>>>>>> REPLACE
END
- agent write FILE writes stdin to a file and creates its directories.
- agent todo keeps a plan of several steps, which the person sees: agent todo set "read a.ts" "fix it" "run the tests"; then doing 2, done 2, add "…", in the call of other commands: agent todo done 1; npm test`,
	input_schema: {
		type: "object",
		properties: {
			command: { type: "string", description: "The command, as for bash -c. Can have many lines." },
			timeout: {
				type: "number",
				description: `Seconds until the command is stopped. Default ${DEFAULT_TIMEOUT_MS / 1000}, at most ${MAX_TIMEOUT_MS / 1000}.`,
			},
		},
		required: ["command"],
	},
};

export const TOOLS: readonly Tool[] = [BASH_TOOL];
