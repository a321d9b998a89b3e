/** What is wrong with a document by the rules of ATIF 1.7 (RFC 0001 of the Harbor project), one line each. */
import * as v from "valibot";

const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const extra = v.optional(v.record(v.string(), v.unknown()));
/** No key is allowed that the format does not have. */
const object = v.strictObject;

const RefSchema = object({
	trajectory_id: v.optional(text),
	trajectory_path: v.optional(text),
	session_id: v.optional(text),
	extra,
});

const StepSchema = object({
	step_id: v.pipe(v.number(), v.integer(), v.minValue(1)),
	timestamp: v.optional(v.pipe(text, v.isoTimestamp())),
	source: v.picklist(["system", "user", "agent"]),
	model_name: v.optional(text),
	reasoning_effort: v.optional(v.union([text, v.number()])),
	message: text,
	reasoning_content: v.optional(text),
	tool_calls: v.optional(
		v.array(object({ tool_call_id: text, function_name: text, arguments: v.record(text, v.unknown()), extra })),
	),
	observation: v.optional(
		object({
			results: v.array(
				object({
					source_call_id: v.optional(text),
					content: v.optional(text),
					subagent_trajectory_ref: v.optional(v.array(RefSchema)),
					extra,
				}),
			),
		}),
	),
	metrics: v.optional(
		object({
			...{ prompt_tokens: v.optional(count), completion_tokens: v.optional(count), cached_tokens: v.optional(count) },
			...{ cost_usd: v.optional(v.number()), extra },
		}),
	),
	is_copied_context: v.optional(v.boolean()),
	llm_call_count: v.optional(count),
	extra,
});

const TrajectorySchema = object({
	schema_version: v.literal("ATIF-v1.7"),
	session_id: v.optional(text),
	trajectory_id: v.optional(text),
	agent: object({ name: text, version: text, model_name: v.optional(text), extra }),
	steps: v.pipe(v.array(StepSchema), v.minLength(1)),
	notes: v.optional(text),
	final_metrics: v.optional(
		object({
			...{ total_prompt_tokens: v.optional(count), total_completion_tokens: v.optional(count) },
			...{ total_cached_tokens: v.optional(count), total_cost_usd: v.optional(v.number()) },
			...{ total_steps: v.optional(count), extra },
		}),
	),
	continued_trajectory_ref: v.optional(text),
	extra,
	subagent_trajectories: v.optional(v.array(v.unknown())),
});

type Step = v.InferOutput<typeof StepSchema>;

const OF_AGENTS = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"] as const;
const OF_MODELS = ["metrics", "reasoning_content"] as const;

export function atifErrors(document: unknown, where = "root"): string[] {
	const parsed = v.safeParse(TrajectorySchema, document);
	if (!parsed.success) return parsed.issues.map((issue) => `${where}.${v.getDotPath(issue)}: ${issue.message}`);
	const { steps, final_metrics, subagent_trajectories: children = [] } = parsed.output;
	const ids = children.map((child) => (child as { trajectory_id?: unknown }).trajectory_id);
	const total = final_metrics?.total_steps;
	return [
		...steps.flatMap((step, at) => stepErrors(step, at, ids).map((error) => `${where}.steps[${at}]: ${error}`)),
		...(total === undefined || total === steps.length ? [] : [`${where}: ${total} steps are not ${steps.length}`]),
		...(new Set(ids).size === ids.length && !ids.includes(undefined)
			? []
			: [`${where}: its agents need ids of their own`]),
		...children.flatMap((child, at) => atifErrors(child, `${where}.subagent_trajectories[${at}]`)),
	];
}

function stepErrors(step: Step, at: number, children: readonly unknown[]): string[] {
	const calls = step.tool_calls?.map(({ tool_call_id }) => tool_call_id) ?? [];
	const results = step.observation?.results ?? [];
	const refs = results.flatMap(({ subagent_trajectory_ref: ref = [] }) => ref);
	return [
		...(step.step_id === at + 1 ? [] : [`its id is ${step.step_id}`]),
		...OF_AGENTS.flatMap((key) => (step.source !== "agent" && step[key] !== undefined ? [`${key} of no agent`] : [])),
		...OF_MODELS.flatMap((key) =>
			step.llm_call_count === 0 && step[key] !== undefined ? [`${key} without a call`] : [],
		),
		...results.flatMap(({ source_call_id: id }) => (id === undefined || calls.includes(id) ? [] : [`no call ${id}`])),
		...refs.flatMap(({ trajectory_id: id }) => (children.includes(id) ? [] : [`no trajectory ${id}`])),
	];
}
