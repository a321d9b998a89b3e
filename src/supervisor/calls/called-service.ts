import type { Model } from "../../core/model/model.ts";
import type { Permits } from "./permits.ts";

/** A service that calls go to, and what is known of it from all calls of the run. */
export interface CalledService {
	readonly permits: Permits;
	/** It has answered, well or not. */
	isKnown: boolean;
	/** It has begun to answer a call as it should: the key is good. */
	hasAnswered: boolean;
	/** What it refuses for good ends the run. When false, other agents of the run do without it. */
	readonly isNeeded: () => boolean;
}

/** `service`: absent for a model whose calls go to none. */
export interface OpenModel {
	readonly model: Model;
	readonly service?: CalledService;
}
