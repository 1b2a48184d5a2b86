/**
 * The only page that runs a third-party script (the payment processor's), so it contains nothing that the script could
 * steal: no forms with session tokens, no keys, and no access to our other windows (docs/decisions/0062).
 */
import { processorSources } from '../../payment/processor-sources.ts'
import type { App } from '../../http/app-env.ts'
import { renderPage } from '../layout/render-page.tsx'
import { scriptUrl } from '../scripts/page-scripts.ts'
import { PAY_STYLE } from './pay-style.ts'

export function registerPayPage(app: App): void {
  app.get('/pay', (c) => {
    const processor = c.var.services.settings.PAYMENT_SCRIPT_URL
    const script = scriptUrl(c, 'pay')
    return renderPage(
      c,
      {
        title: 'Payment',
        style: PAY_STYLE,
        alone: true,
        script: { url: script, connect: [], thirdParty: processorSources(processor) },
        // Isolates this page from its opener and from the windows that it opens, even from those of this site.
        headers: { 'Cross-Origin-Opener-Policy': 'noopener-allow-popups' },
      },
      <>
        <p id="state" class="lead" role="status">
          Loading the payment from the console…
        </p>
        <noscript>
          <p class="warn">
            Payments require JavaScript. To pay without it, follow docs/credits.md, which uses curl.
          </p>
        </noscript>
        <p class="note">
          The payment processor’s script runs only on this page. It sees the amount and your payment
          details, but no key of your account. This service never sees your card.
        </p>
        <form id="payment" class="card" hidden>
          <p class="amount">
            <span class="note">Amount due</span> <strong id="amount" />
          </p>
          <div id="methods" />
          <p id="fault" class="error" role="alert" />
          <button id="pay">Pay</button>
        </form>
        <div id="processor" data-script={processor} hidden />
        <script src={script} defer />
      </>,
    )
  })
}
