import type { FC } from 'hono/jsx'
import type { TriggerKind } from '../../../shared/wire/trigger.ts'

export const KIND_NAMES: Record<TriggerKind, string> = {
  webhook: 'Webhook',
  schedule: 'Schedule',
  chain_event: 'Chain event',
}

/** Icons as SVG paths on a 24-unit grid, drawn in the colour of the text. */
const ICON_PATHS: Record<TriggerKind, string> = {
  webhook: 'M12 3v9M8 8l4 4 4-4M4 14v5a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-5',
  schedule: 'M12 7v5l3.5 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  chain_event:
    'M9.5 14.5l5-5M11 7l2.2-2.2a4 4 0 0 1 5.7 5.7L16.7 12.7M13 17l-2.2 2.2a4 4 0 0 1-5.7-5.7l2.2-2.2',
}

/** It is hidden from screen readers, because the name of the kind is shown next to it. */
export const KindIcon: FC<{ kind: TriggerKind }> = ({ kind }) => (
  <svg
    class="icon"
    viewBox="0 0 24 24"
    width="20"
    height="20"
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={ICON_PATHS[kind]} />
  </svg>
)

export const KindLabel: FC<{ kind: TriggerKind }> = ({ kind }) => (
  <span class="kind">
    <KindIcon kind={kind} /> {KIND_NAMES[kind]}
  </span>
)
