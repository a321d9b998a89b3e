/** The tests of this project start the built program. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export default function needsBuild(): void {
	for (const file of ["agent.js", "cli/main.js"])
		if (!existsSync(fileURLToPath(new URL(`../../dist/${file}`, import.meta.url))))
			throw new Error(`dist/${file} is missing: build first (npm run build), or start the tests with npm test`);
}
