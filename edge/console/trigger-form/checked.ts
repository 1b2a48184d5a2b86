import type { TriggerPreview } from '../../../shared/wire/preview.ts'

/** Response of `POST /triggers/preview`: what the trigger would do, or its problems by field name. */
export type Checked = { preview: TriggerPreview } | { problems: Record<string, string> }
