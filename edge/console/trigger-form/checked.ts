import type { TriggerPreview } from '../../../shared/wire/preview.ts'

/** The answer of `POST /triggers/preview`: what a trigger would do, or why there can be none, by the names of fields. */
export type Checked = { preview: TriggerPreview } | { problems: Record<string, string> }
