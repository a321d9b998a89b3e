/** What a child agent gets of this process, which it is started in. */

import { fileURLToPath } from "node:url";
import { restore } from "../../agent/context/restore.ts";
import { runJoinedAgent } from "../../agent/joined-agent.ts";
import type { StartHost } from "../../agent/start-agent.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { withoutGitTies } from "../../project/config/git-environment.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { workingDirectory } from "../../project/config/working-directory.ts";
import { bugs } from "../io/bugs.ts";

/** Of the built program, whose command line lies one below. */
const BUNDLES = fileURLToPath(new URL("..", import.meta.url));

export function childHost(values: OptionValues): StartHost {
	const { pid } = process;
	const env = values["clean-git-env"] === true ? withoutGitTies(process.env) : process.env;
	const setTitle = (title: string) => {
		process.title = title;
	};
	return {
		env,
		pid,
		cwd: () => workingDirectory(process.cwd),
		table: openProcessTable(env),
		setTitle,
		bugs,
		earlyMove: Promise.resolve(),
		// Loaded with the command line, which is no quick start: each file loaded on its own would cost an open file more.
		loadJoinedAgent: async () => ({ runJoinedAgent }),
		loadOwnNetwork: async () => ({
			...(await import("../../agent/network/own-network.ts")),
			directory: BUNDLES,
		}),
		loadLayers: () => import("../../agent/bash/open-layers.ts"),
		loadOutsideSandbox: () => import("../../agent/bash/outside-sandbox.ts"),
		loadRestore: async () => ({ restore }),
	};
}
