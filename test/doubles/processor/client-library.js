/**
 * Browser client library of the double, served at `/v3/`: the subset of the real one that a payment page uses. Adds
 * fields to the page and confirms over HTTP. Accepts the test cards of the real library.
 */
;(() => {
  const { origin } = new URL(document.currentScript.src)
  const CARDS = {
    4242424242424242: 'pm_card_visa',
    4000000000000002: 'pm_card_chargeDeclined',
  }

  function field(text, input) {
    const label = document.createElement('label')
    label.textContent = text
    label.htmlFor = input.id
    return [label, input]
  }

  class Elements {
    constructor(clientSecret) {
      this.clientSecret = clientSecret
    }
    create() {
      return { mount: (place) => this.mount(document.querySelector(place)) }
    }
    mount(place) {
      this.method = document.createElement('select')
      this.method.id = 'method'
      for (const name of ['Card', 'Crypto']) this.method.append(new Option(name))
      this.card = document.createElement('input')
      this.card.id = 'card'
      this.card.inputMode = 'numeric'
      this.card.autocomplete = 'cc-number'
      place.replaceChildren(
        ...field('Payment method', this.method),
        ...field('Card number', this.card),
      )
    }
    get paymentMethod() {
      if (this.method.value === 'Crypto') return 'pm_crypto'
      return CARDS[this.card.value.replaceAll(' ', '')]
    }
  }

  globalThis.Stripe = (publishableKey) => ({
    elements: ({ clientSecret }) => new Elements(clientSecret),
    async confirmPayment({ elements, confirmParams }) {
      const { clientSecret, paymentMethod } = elements
      if (!paymentMethod) return { error: { message: 'Your card number is invalid.' } }
      const id = clientSecret.split('_secret_')[0]
      const response = await fetch(`${origin}/v1/payment_intents/${id}/confirm`, {
        method: 'POST',
        headers: { authorization: `Bearer ${publishableKey}` },
        body: new URLSearchParams({
          client_secret: clientSecret,
          payment_method: paymentMethod,
          return_url: confirmParams.return_url,
        }),
      })
      const answer = await response.json()
      return response.ok ? { paymentIntent: answer } : { error: answer.error }
    },
  })
})()
