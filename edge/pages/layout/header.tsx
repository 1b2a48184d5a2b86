import type { FC } from 'hono/jsx'
import type { Session } from '../../identity/sessions.ts'
import { CsrfField } from '../requests/csrf-field.tsx'
import { isCurrentLink, NAVIGATION, type NavLink, PUBLIC_NAVIGATION } from './navigation.ts'
import { NavIcon } from './nav-icon.tsx'

export const SIGN_OUT_SUBJECT = 'sign-out'

const SIGN_OUT_FORM = 'sign-out'

const SERVICE_NAME = 'svc'

/**
 * Session of the page: `undefined` if the user is not signed in, `'not_looked_up'` if the session was not looked up.
 */
type PageSession = Session | undefined | 'not_looked_up'

/**
 * Sidebar. On a phone, it is a single line whose button opens the links. The links are a popover there, which needs no
 * script.
 * @param path path of the current page, whose link is marked
 */
export const Header: FC<{ path: string; session: PageSession }> = ({ path, session }) => (
  <header class="site">
    <div>
      <a class="name" href="/">
        {SERVICE_NAME}
      </a>
      <button type="button" class="menu" popovertarget="menu">
        <NavIcon name="menu" /> Menu
      </button>
      <div id="menu" popover="auto">
        <nav aria-label="Main">
          {(session ? NAVIGATION : PUBLIC_NAVIGATION).map(({ title, links }) => (
            <>
              {title !== undefined && <p>{title}</p>}
              <ul>
                {links.map((link) => (
                  <NavItem link={link} path={path} />
                ))}
              </ul>
            </>
          ))}
        </nav>
        {session !== 'not_looked_up' && (
          <div class="who">
            {session ? <SignedIn email={session.user.email} /> : <SignInLink path={path} />}
          </div>
        )}
      </div>
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

const NavItem: FC<{ link: NavLink; path: string }> = ({ link, path }) => (
  <li>
    <a href={link.href} {...(isCurrentLink(link, path) && { 'aria-current': 'page' as const })}>
      <NavIcon name={link.icon} />
      {link.text}
    </a>
  </li>
)

const SignedIn: FC<{ email: string }> = ({ email }) => (
  <>
    <p>
      <bdi>{email}</bdi>
    </p>
    <button form={SIGN_OUT_FORM} class="quiet">
      Sign out
    </button>
  </>
)

const SignInLink: FC<{ path: string }> = ({ path }) => (
  <a
    class="button quiet"
    href="/sign-in"
    {...(path === '/sign-in' && { 'aria-current': 'page' as const })}
  >
    Sign in
  </a>
)

export const Footer: FC<{ session: PageSession }> = ({ session }) => (
  <footer>
    <div>
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
