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

export const Time: FC<{ at: number }> = ({ at }) => (
  <time datetime={new Date(at).toISOString()}>{formatMinute(at)}</time>
)
