/** Pages that the sidebar links to. Add a link when you add a page. */
import type { NavIconName } from './nav-icon.tsx'

export type NavLink = {
  href: string
  text: string
  icon: NavIconName
  /** Other pages that belong to this link: these paths and all below them. */
  also?: readonly string[]
}

type NavGroup = { title?: string; links: readonly NavLink[] }

const CONSOLE: NavLink = { href: '/console', text: 'Console', icon: 'console' }
const HELP: NavGroup = {
  title: 'Help',
  links: [
    { href: '/docs', text: 'Docs', icon: 'docs' },
    { href: '/verify', text: 'Verify', icon: 'verify' },
  ],
}

/** Pages that require no sign-in: the console uses an API key instead, and the documents are public. */
export const PUBLIC_NAVIGATION: readonly NavGroup[] = [{ links: [CONSOLE] }, HELP]

export const NAVIGATION: readonly NavGroup[] = [
  {
    links: [
      { href: '/triggers', text: 'Triggers', icon: 'triggers' },
      { href: '/runs', text: 'Runs', icon: 'runs' },
      {
        href: '/failed-runs',
        text: 'Failed runs',
        icon: 'failed',
        also: ['/replays'],
      },
      { href: '/alerts', text: 'Alerts', icon: 'alerts' },
      { href: '/audit-log', text: 'Changes', icon: 'changes' },
    ],
  },
  { title: 'Accounts', links: [CONSOLE] },
  {
    title: 'You',
    links: [
      { href: '/account', text: 'Sign-in', icon: 'person' },
      { href: '/agent/tokens', text: 'Access tokens', icon: 'key' },
    ],
  },
  HELP,
]

/** True if the page at `path` belongs to the link. */
export const isCurrentLink = ({ href, also = [] }: NavLink, path: string): boolean =>
  [href, ...also].some((place) => path === place || path.startsWith(`${place}/`))
