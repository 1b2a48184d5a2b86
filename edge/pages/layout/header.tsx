import type { FC } from 'hono/jsx'
import type { Session } from '../../identity/sessions.ts'
import { CsrfField } from '../requests/csrf-field.tsx'

export const SIGN_OUT_SUBJECT = 'sign-out'

const SIGN_OUT_FORM = 'sign-out'

const SERVICE_NAME = 'svc'

type NavLink = { href: string; text: string }

/** Links that require no sign-in: the console uses an API key instead, and the documents are public. */
const PUBLIC_LINKS: NavLink[] = [
  { href: '/console', text: 'Console' },
  { href: '/docs', text: 'Docs' },
]
const SIGNED_IN_LINKS: NavLink[] = [
  { href: '/triggers', text: 'Triggers' },
  { href: '/console', text: 'Console' },
  { href: '/agent/tokens', text: 'Access tokens' },
  { href: '/account', text: 'Account' },
  { href: '/docs', text: 'Docs' },
]

/**
 * Session of the page: `undefined` if the user is not signed in, `'not_looked_up'` if the session was not looked up.
 */
type PageSession = Session | undefined | 'not_looked_up'

/** @param path path of the current page, whose link is marked */
export const Header: FC<{ path: string; session: PageSession }> = ({ path, session }) => (
  <header class="site">
    <div>
      <a class="name" href="/">
        {SERVICE_NAME}
      </a>
      <nav aria-label="Main">
        <ul>
          {(session ? SIGNED_IN_LINKS : PUBLIC_LINKS).map((place) => (
            <NavItem place={place} path={path} />
          ))}
          {session !== 'not_looked_up' && (
            <li>{session ? <SignOutButton /> : <SignInLink path={path} />}</li>
          )}
        </ul>
      </nav>
    </div>
  </header>
)

export const BareHeader: FC = () => (
  <header class="site">
    <div>
      <span class="name">{SERVICE_NAME}</span>
    </div>
  </header>
)

const NavItem: FC<{ place: NavLink; path: string }> = ({ place: { href, text }, path }) => (
  <li>
    <a href={href} {...(isWithin(path, href) && { 'aria-current': 'page' as const })}>
      {text}
    </a>
  </li>
)

const isWithin = (path: string, place: string) => path === place || path.startsWith(`${place}/`)

const SignOutButton = () => <button form={SIGN_OUT_FORM}>Sign out</button>

const SignInLink: FC<{ path: string }> = ({ path }) => (
  <a href="/sign-in" {...(path === '/sign-in' && { 'aria-current': 'page' as const })}>
    Sign in
  </a>
)

export const Footer: FC<{ session: PageSession }> = ({ session }) => (
  <footer>
    <div>
      <a href="/verify">Verify</a>
      <a href="/SKILL.md">For agents</a>
      <a href="/docs/api">API</a>
    </div>
    {typeof session === 'object' && <HiddenSignOutForm session={session} />}
  </footer>
)

/** Placed after the page's own forms, because some programs use the first form of a page. */
const HiddenSignOutForm = ({ session }: { session: Session }) => (
  <form id={SIGN_OUT_FORM} method="post" action="/sign-out">
    <CsrfField session={session} subject={SIGN_OUT_SUBJECT} />
    <input type="hidden" name="where" value="here" />
  </form>
)
