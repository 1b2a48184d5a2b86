import type { Child, FC } from 'hono/jsx'
import { formatMinute } from '../format/times.ts'

export const Badge: FC<{ tone?: 'good' | 'bad'; children?: Child }> = ({ tone, children }) => (
  <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>
)

export const FactList: FC<{ facts: [name: string, value: Child][] }> = ({ facts }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
)

type ListTableProps = {
  /** Name for screen readers. */
  label: string
  /** Name of each column. A name in parentheses is visible to screen readers only. */
  columns: readonly string[]
  /** Rows: `<tr>` with a `<th scope="row">` and a `Cell` for each other column. */
  children?: Child
}

/** Table for a list of items. On a phone, each row is a block, and its cells show the names of their columns. */
export const ListTable: FC<ListTableProps> = ({ label, columns, children }) => (
  <div class="list">
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map((name) => (
            <th scope="col">
              {name.startsWith('(') ? <span class="unseen">{name.slice(1, -1)}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)

/** @param of name of the column */
export const Cell: FC<{ of: string; children?: Child }> = ({ of, children }) => (
  <td data-label={of}>{children}</td>
)

/** Cell with the buttons and links of its row. */
export const ActionCell: FC<{ children?: Child }> = ({ children }) => (
  <td class="does">
    <div>{children}</div>
  </td>
)

export const Time: FC<{ at: number }> = ({ at }) => (
  <time datetime={new Date(at).toISOString()}>{formatMinute(at)}</time>
)
