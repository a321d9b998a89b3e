import { expect, test } from "vitest";
import { USERS } from "../sandbox/as-other-user.ts";
import { FEATURES } from "./features.ts";
import { type Column, place } from "./place.ts";

/** A test for each feature, as the user of the tests and, where that is root, as an ordinary one. */
export function tryFeatures(column: Column): void {
	for (const { name: user, as } of USERS)
		for (const feature of FEATURES)
			test(`${feature.name}, ${user}`, async () => {
				const tried = place(column, as);
				const outcome = await feature.try(tried, as);
				expect(outcome, tried.said()).toBe(feature.outcome[column]);
			});
}
