import type { FC } from 'hono/jsx'
import type { PolicyDocument } from '../../../shared/policies/document.ts'
import { Time } from '../components/elements.tsx'
import { sumRows, type SumState } from './sum-rows.ts'

export const SumBars: FC<{ document: PolicyDocument; sums: readonly SumState[] }> = ({
  document,
  sums,
}) => (
  <ul class="sums">
    {sumRows(document, sums).map(({ key, name, counted, text, used, added, availableAt }) => (
      <li key={key}>
        <p class="sum-name">
          <strong>{name}</strong> <span class="note">{counted}</span>
        </p>
        {/* The text below says the same, so the bar is hidden from screen readers. */}
        <svg class="sum-bar" width="100%" height="12" aria-hidden="true">
          <rect class="left" width="100%" height="12" />
          <rect class="used" width={`${used}%`} height="12" />
          <rect class="added" x={`${used}%`} width={`${added}%`} height="12" />
        </svg>
        <p class="sum-text">
          {text}
          {availableAt !== undefined && (
            <>
              {' '}
              Enough is left again from <Time at={availableAt} />.
            </>
          )}
        </p>
      </li>
    ))}
  </ul>
)
