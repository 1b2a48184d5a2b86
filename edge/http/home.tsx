import type { App } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { page, signInPath } from './page.tsx'

/** `GET /`: where a person lands who came without a path, or has just signed in. */
export function registerHome(app: App): void {
  app.get('/', async (c) => {
    const session = await signedIn(c)
    return page(
      c,
      { title: 'Triggers' },
      <>
        <p>
          Webhooks that run your actions, in a machine that keeps your keys. Programs use the API
          under <code>/api</code> with a token that you approve.
        </p>
        {session ? (
          <p>You are signed in. Open the link that your program printed to approve its token.</p>
        ) : (
          <p>
            <a href={signInPath('/')}>Sign in</a> to approve a program's token.
          </p>
        )}
      </>,
    )
  })
}
