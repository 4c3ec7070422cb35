import { visible } from '@terrarium/web/xterm';

/** h makes an element; text is always text. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (typeof value === 'boolean') element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** name shows a name that somebody else chose: all that is in it, and what it does to the order of
 * characters ends with it. */
export const name = (text) => h('bdi', {}, visible(text));

export const $ = (id) => document.getElementById(id);
