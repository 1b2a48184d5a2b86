import type { FC } from 'hono/jsx'

/** Icons as SVG paths on a 24-unit grid, drawn in the colour of the text. */
const PATHS = {
  triggers: 'M13 3 5 13.5h6L10 21l9-11h-6.5z',
  runs: 'M4 6h16M4 12h16M4 18h10',
  failed: 'M12 8v5m0 3.5v.01M12 3 2.5 20h19z',
  actions: 'm8 7-5 5 5 5m8-10 5 5-5 5M13.5 5l-3 14',
  alerts: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5h4',
  changes: 'M12 7.5V12l3 2M3.5 12A8.5 8.5 0 1 0 6 6M3.5 4v4.5H8',
  console:
    'M3 7.5h15a2.5 2.5 0 0 1 2.5 2.5v8a2 2 0 0 1-2 2h-13A2.5 2.5 0 0 1 3 17.5v-11A2 2 0 0 1 5 4.5h12M16.5 14v.01',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5a7.5 7.5 0 0 1 15 0',
  key: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm3-7 8-8m-3 3 3 3',
  docs: 'M12 6.5C10 5 7 4.5 3.5 4.5V18c3.5 0 6.5.5 8.5 2 2-1.5 5-2 8.5-2V4.5c-3.5 0-6.5.5-8.5 2Zm0 0V20',
  verify: 'm9 12 2 2 4-4.5M12 3l7.5 3v5.5c0 4.5-3 8-7.5 9.5-4.5-1.5-7.5-5-7.5-9.5V6z',
  menu: 'M4 7h16M4 12h16M4 17h16',
} as const
export type NavIconName = keyof typeof PATHS

/** Hidden from screen readers, because the link's text is next to it. */
export const NavIcon: FC<{ name: NavIconName }> = ({ name }) => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
