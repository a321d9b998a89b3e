/** The tools that models are offered: bash alone. The same bytes in every request of a run. */
import { BASH, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from "../../core/bash-tool.ts";
import type { Tool } from "../../core/message.ts";

const BASH_TOOL: Tool = {
	name: BASH,
	description: `Runs a command in bash and gives what it printed: stdout and stderr together, in their order.

- Each call is a new shell in the same working directory. No state is kept between calls: no variables, no "cd"; files are.
- stdin is empty and there is no terminal, so nothing can ask questions: use options that answer in advance.
- Output over 50,000 characters is cut in the middle; the marker there names the file that holds the whole.
- A command has ${DEFAULT_TIMEOUT_MS / 1000} seconds, or what "timeout" asks for, up to ${MAX_TIMEOUT_MS / 1000}. After that all its processes are ended; what it printed is kept. The clock stands still while agents that the command started are alive.
- Processes left in the background live on until you are done; they are named in the result.
- agent "task" starts a child agent: it works on the task in a context of its own, with this same tool, and its stdout is its answer. It knows nothing but the task text, so put all it needs in there. Start several side by side and wait for them: agent "task a" > a.txt & agent "task b" > b.txt & wait
- agent edit FILE changes a file by blocks on stdin, and says what does not fit: agent edit a.ts <<'END', then lines <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE for each block, then END. Each old text has to be in the file exactly once.
- agent write FILE writes stdin to a file, whole, and makes its directories: agent write src/a.ts <<'END'
- agent todo keeps a plan of several steps, which people see: agent todo set "read a.ts" "fix it" "run the tests"; then doing 2, done 2, add "…", in the call of other commands: agent todo done 1; npm test
- Several bash calls in one answer run at the same time; their results come in the order of the calls.`,
	input_schema: {
		type: "object",
		properties: {
			command: { type: "string", description: "The command, as for bash -c. May have many lines." },
			timeout: {
				type: "number",
				description: `Seconds until the command is ended. Default ${DEFAULT_TIMEOUT_MS / 1000}, at most ${MAX_TIMEOUT_MS / 1000}.`,
			},
		},
		required: ["command"],
	},
};

export const TOOLS: readonly Tool[] = [BASH_TOOL];
