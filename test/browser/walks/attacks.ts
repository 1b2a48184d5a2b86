import { expect, it } from 'vitest'
import { evaluate } from '../evaluate.ts'
import { newProgram, registerRequest } from '../program.ts'
import type { Walks } from '../walks.ts'

/** Executes scripts if a page interprets text as markup. */
const MARKUP = `<img src=x onerror=alert(1)>"'<script>alert(2)</script>`

export function attackWalks(walks: Walks): void {
  it('clickjacking: a cross-origin frame stays empty, signed in or not', async () => {
    const { path } = newProgram()
    const url = `${walks.triggersUrl}${path}`
    const site = await walks.anotherSite({ '/': `<iframe src="${url}"></iframe>` })
    const visitor = await walks.signedIn()
    // A same-site frame gets the cookie, so only the page's own policy protects it.
    for (const origin of [site.sameSite, site.crossSite]) {
      await visitor.page.goto(`${origin}/`)
      const framed = visitor.page.frames().find((frame) => frame !== visitor.page.mainFrame())
      expect(framed?.url()).not.toContain('/agent/authorize')
      expect(await framed?.locator('button').count()).toBe(0)
      expect(visitor.complaints.splice(0).join()).toMatch(/frame-ancestors|X-Frame-Options/)
    }
  })

  it('clickjacking: a click within the first second authorizes nothing', async () => {
    const { token, path } = newProgram()
    const visitor = await walks.signedIn()
    const { page } = visitor
    // Pauses animations, so that the first second lasts as long as the test needs.
    const session = await page.context().newCDPSession(page)
    await session.send('Animation.enable')
    await session.send('Animation.setPlaybackRate', { playbackRate: 0 })
    await visitor.open(path)
    const button = page.getByRole('button', { name: 'Authorize' })
    await button.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await button.boundingBox())!
    const click = () => page.mouse.click(x + width / 2, y + height / 2)
    const posts: string[] = []
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
    await click()
    await click()
    const milliseconds =
      'document.querySelector("button.armed").getAnimations()[0].effect.getTiming().duration'
    expect(await evaluate(page, milliseconds)).toBe(1_000)
    expect(posts).toEqual([])
    expect(await walks.me(token)).toMatchObject({ status: 401 })

    await session.send('Animation.setPlaybackRate', { playbackRate: 1 })
    // Only this test waits for the second to pass (see `Visitor.armed`).
    const finished = 'Promise.all(document.getAnimations().map(({ finished }) => finished))'
    await evaluate(page, `${finished}.then(() => true)`)
    await visitor.onward(click)
    expect(await visitor.heading()).toBe('Authorized')
  })

  it('CSRF: a form posted from another site grants nothing, with or without the cookie', async () => {
    const { token, challenge } = newProgram()
    const form = `<form method="post" action="${walks.triggersUrl}/agent/authorize">
      <input name="challenge" value="${challenge}"><input name="decision" value="authorize">
      <input name="csrf" value="x"><button>Win a prize</button></form>`
    const site = await walks.anotherSite({ '/': form })
    const visitor = await walks.signedIn()
    for (const origin of [site.sameSite, site.crossSite]) {
      await visitor.page.goto(`${origin}/`)
      await visitor.press('Win a prize')
      expect(await visitor.heading()).toBe('This form did not come from this site')
    }
    expect(await walks.me(token)).toMatchObject({ status: 401 })
  })

  it('CSRF: a form posted from another site does not sign the user out', async () => {
    const form = `<form method="post" action="${walks.triggersUrl}/sign-out"><button>Go</button></form>`
    const site = await walks.anotherSite({ '/': form })
    const visitor = await walks.signedIn()
    await visitor.page.goto(`${site.sameSite}/`)
    await visitor.press('Go')
    await visitor.open('/')
    expect(await visitor.page.getByRole('button', { name: 'Sign out' }).count()).toBe(1)
  })

  it('XSS: markup in the name of a program is shown as text on every page', async () => {
    const { challenge } = newProgram()
    const registered = await registerRequest(walks.triggersUrl, { challenge, label: MARKUP })
    const visitor = await walks.signedIn()
    const { page } = visitor
    const isText = async () => {
      expect(await page.locator('main').innerText()).toContain(MARKUP)
      expect(await page.locator('main img, main script').count()).toBe(0)
    }
    await visitor.open(registered.path)
    await isText()
    await visitor.authorize(newProgram().path, MARKUP)
    await visitor.open('/agent/tokens')
    await isText()
  })

  it('XSS: markup in an email address is shown as text, valid or not', async () => {
    const visitor = await walks.visitor()
    await visitor.open('/sign-in')
    await evaluate(visitor.page, 'document.querySelector("main form").noValidate = true')
    await visitor.page.getByLabel('E-mail address').fill(`"${MARKUP}"@example.com`)
    await visitor.press('Send sign-in link')
    expect(await visitor.page.locator('main img').count()).toBe(0)
    expect(await visitor.page.getByLabel('E-mail address').inputValue()).toContain(MARKUP)
  })
}
