// Questions that take their time: asked once their place is in sight, and again until the answer is whole.

/**
 * The latest question of each place.
 * @type {Map<string, object>}
 */
const latest = new Map();
/** @type {Map<string, IntersectionObserver>} */
const watched = new Map();

/**
 * Ask when a place is in sight and nothing was changed for a while; an answer to an earlier question is not shown.
 * @param {string} id
 * @param {() => Promise<any>} asking
 * @param {(found: any) => boolean} whole
 * @param {(found: any) => void} showing
 */
export function whenSeen(id, asking, whole, showing) {
  const mine = {};
  latest.set(id, mine);
  watched.get(id)?.disconnect();
  const place = document.getElementById(id);
  if (!place) return;
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    setTimeout(() => void follow(id, mine, asking, whole, showing), 400);
  }, { rootMargin: "60px" });
  watched.set(id, seen);
  seen.observe(place);
}

/**
 * @param {string} id
 * @param {object} mine
 * @param {() => Promise<any>} asking
 * @param {(found: any) => boolean} whole
 * @param {(found: any) => void} showing
 */
async function follow(id, mine, asking, whole, showing) {
  while (latest.get(id) === mine) {
    const found = await asking();
    if (latest.get(id) !== mine) return;
    showing(found);
    if (!found || whole(found)) return;
    await new Promise((done) => setTimeout(done, 400));
  }
}
