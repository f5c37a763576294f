// Push to talk, where the browser has speech. Whom it asks to understand it is the browser's.

export function pushToTalk(button, take) {
  const Recognition = window.SpeechRecognition || window.webkitSpeechRecognition;
  if (!Recognition) return;
  button.hidden = false;
  let recognition = null;
  const begin = () => {
    recognition = new Recognition();
    recognition.lang = navigator.language;
    recognition.interimResults = false;
    recognition.addEventListener('result', (event) => {
      take(event.results[0][0].transcript);
    });
    recognition.addEventListener('end', () => button.classList.remove('talking'));
    button.classList.add('talking');
    recognition.start();
  };
  const end = () => {
    if (recognition) recognition.stop();
    recognition = null;
  };
  button.addEventListener('pointerdown', begin);
  button.addEventListener('pointerup', end);
  button.addEventListener('pointerleave', end);
}
