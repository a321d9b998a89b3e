import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KEYS_OF } from "../../../src/sandbox/hidden-configuration.ts";
import { SECRET_PLACES, SYSTEM_SECRETS } from "../../../src/sandbox/places.ts";

test("docs/sandbox.md lists every place that is hidden, and no other", () => {
	const page = readFileSync(new URL("../../../docs/sandbox.md", import.meta.url), "utf8");
	const [, section = ""] = /### Hidden places\n(.*?)\n## /s.exec(page) ?? [];
	const listed = [...section.matchAll(/`([~/][^`]*)`/g)].map(([, path]) => path);
	expect(listed.sort()).toEqual([...SECRET_PLACES.map((name) => `~/${name}`), ...SYSTEM_SECRETS].sort());
	expect(SECRET_PLACES).toEqual([...new Set(SECRET_PLACES)]);
	expect(Object.keys(KEYS_OF).filter((place) => !SECRET_PLACES.includes(place))).toEqual([]);
});
