import type { TriggerPreview } from '../../../shared/wire/preview.ts'

/** Response of `POST /triggers/preview`: the preview of a trigger, or problems by field name. */
export type Checked = { preview: TriggerPreview } | { problems: Record<string, string> }
