import type { TriggerPreview } from '../../../shared/wire/preview.ts'

/** Response of `POST /triggers/preview`. Problems are by field name. */
export type CheckResult = { preview: TriggerPreview } | { problems: Record<string, string> }
