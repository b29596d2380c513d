;;; A session in Emacs: MODE is gud-gdb or gdb, PROGRAM serve/breaks.  -*- lexical-binding: t -*-

;; Commands are given as a user gives them, by gud's own functions; what
;; counts is where the arrow is that shows the source line.

(require 'gud)
(require 'gdb-mi)

(defvar drive-seconds (string-to-number (or (getenv "LIMIT") "120")))

(defun drive-fail (format &rest args)
  (princ (apply #'format (concat format "\n") args))
  (when (buffer-live-p gud-comint-buffer)
    (princ (with-current-buffer gud-comint-buffer (buffer-string))))
  (kill-emacs 1))

(defun drive-wait (what condition)
  "Let processes speak until CONDITION holds."
  (let ((end (+ (float-time) drive-seconds)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (drive-fail "waited in vain: %s; the arrow is at %S" what gud-last-last-frame))
      (accept-process-output nil 0.1)
      ;; In batch mode there is no redisplay, which would do this.
      (when gud-last-frame (gud-display-frame)))))

(defun drive-line ()
  (cdr gud-last-last-frame))

(defun drive-said (regexp from)
  (with-current-buffer gud-comint-buffer
    (save-excursion
      (goto-char from)
      (re-search-forward regexp nil t))))

(defun drive-type (command)
  "Type COMMAND at the prompt."
  (with-current-buffer gud-comint-buffer
    (goto-char (point-max))
    (insert command)
    (comint-send-input)
    (point-max)))

(defun drive (command line &optional regexp)
  "Give COMMAND; the arrow must come to LINE, and REGEXP be printed.
A function is called, as a key would; then no new prompt can be told
from the old one, which gud takes away."
  (setq gud-last-last-frame nil)
  (let ((from (if (functionp command)
                  (progn (funcall command 1) 1)
                (drive-type command))))
    (when line
      (drive-wait (format "%s to line %d" command line) (lambda () (eql (drive-line) line))))
    (when regexp
      (drive-wait (format "%s to say %s" command regexp) (lambda () (drive-said regexp from))))
    (drive-wait (format "the prompt after %s" command) (lambda () (drive-said "^(gdb) " from)))))

(let* ((mode (getenv "MODE"))
       (retro (getenv "RETRO"))
       (process-connection-type t))
  ;; The second as doc/commands.md says.
  (setq gdb-many-windows nil
        gdb-non-stop-setting nil
        gdb-show-main nil)
  (if (equal mode "gud-gdb")
      (gud-gdb (format "%s gdb --stock --fullname -nx -q %s" retro (getenv "PROGRAM")))
    (gdb (format "%s gdb --stock -i=mi -nx -q %s" retro (getenv "PROGRAM"))))
  (drive-wait "the first prompt" (lambda () (drive-said "^(gdb) " 1)))
  (drive "set confirm off" nil)
  (drive "break work" nil "Breakpoint 1")
  (drive "run" 16)
  (drive #'gud-next 17)
  (drive "reverse-next" 16)
  (drive #'gud-cont 16)
  (drive #'gud-finish 26)
  (drive "reverse-step" 18)
  (drive "reverse-continue" 16 "value=2")
  (drive "delete" nil)
  (drive "reverse-continue" nil "No more reverse-execution history")
  (drive "tbreak 28" nil)
  (drive "continue" 28)
  (drive "print sum" nil "= 55")
  (drive-type "quit")
  (drive-wait "the end" (lambda ()
                          (let ((process (get-buffer-process gud-comint-buffer)))
                            (not (and process (process-live-p process))))))
  (princ "done\n"))
